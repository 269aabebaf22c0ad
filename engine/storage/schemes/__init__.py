"""Quantized safetensors layouts, each read straight into the canonical forms.

A scheme looks at a checkpoint's tensors and claims those that make up a quantized weight: GPTQ's
``q_proj.qweight``, ``.qzeros``, ``.scales`` and ``.g_idx`` become one weight ``q_proj.weight``. A
new layout is one file here and one row in ``choose``.
"""
