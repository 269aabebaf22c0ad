"""Compatibility mode: transformers' own modelling code behind the interface of our families.

For every architecture that transformers implements and we do not. Slower: sequences run one after
the other, activations are plain float, weights are not kept in few bits. What a sequence has
computed is remembered by its token ids, in transformers' own caches, so that a second turn computes
only what is new wherever the architecture allows it.
"""
