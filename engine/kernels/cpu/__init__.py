"""The kernels on this machine's processor: generated tiles, compiled operations, one pool."""
