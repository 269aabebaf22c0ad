"""The CUDA runtime: torch for NVIDIA's GPUs as a download beside the program; no torch here."""
