"""transformers writes its checkpoints with a progress bar; its monitor thread is not wanted."""

from __future__ import annotations

import torch
import tqdm

tqdm.tqdm.monitor_interval = 0
torch.set_num_threads(1)
