"""Kernels for NVIDIA GPUs: Triton where it can start, else ATen's; the decode step as a graph."""
