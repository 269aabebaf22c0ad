"""The CUDA runtime in the window: a quiet offer, what it takes, its download, its removal."""
