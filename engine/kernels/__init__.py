"""The arithmetic of a step behind one interface: plain torch, numba for CPUs, Triton for CUDA."""
