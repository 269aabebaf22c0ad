"""How text comes about: pages, prefix tree, scheduler, sampler, decode.

Knows no model and no tokenizer.
"""
