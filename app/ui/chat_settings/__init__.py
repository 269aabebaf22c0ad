"""What holds for one chat: presets, the steps of the sampler, where answers end."""
