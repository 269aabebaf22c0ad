"""Real models against transformers on the same file, dequantized: greedy text and perplexity.

Not a test: it takes minutes. ``python -m tests.families.compare_real_models MODEL.gguf [tokens]``
prints the first difference of a greedy continuation, with the gap between the two best logits there
(a near-tie explains it), and the perplexity of a text on both sides.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine.families.registry import Model, build
from engine.kernels.choose import choose_kernels
from engine.kernels.interface import Kernels
from engine.storage.open import open_checkpoint
from engine.text.model_text import open_text
from tests.families.parity import Sequences

PROMPT = "The lighthouse keeper wrote in his book every evening. That night he wrote:"
TEXT = """
Ink is made of soot, water and a little glue. The stick is ground on a stone with slow circles until
the water is black and thick. A brush is then filled, pressed against the rim, and set on the paper.
What the hand does in the next second cannot be taken back: the paper drinks at once. For this
reason the old teachers let a child draw a single line for a year. The line must begin with the tip
hidden, go on without haste, and end as if it could go further. When the line is good, two lines are
drawn, and their distance is looked at more than the lines themselves. Many leave in the second
year. Those who stay learn that the stone, too, has to be washed each evening, because dried ink
spoils the fresh one. In the harbour towns the stones were cut from the bed of a river, and the best
of them had a fine grain that one could feel only with wet fingers. Merchants carried them over the
mountains wrapped in straw, two on each side of a mule, and sold them for the price of the mule.
"""


def greedy(sequences: Sequences, prompt: Sequence[int], count: int) -> list[int]:
    """Our greedy continuation of a prompt."""
    logits = sequences.feed("a", list(prompt), wanted=1)
    ids: list[int] = []
    while len(ids) < count:
        ids.append(int(logits[-1].argmax()))
        logits = sequences.feed("a", ids[-1:], wanted=1)
    return ids


def perplexity(logits: Tensor, ids: Sequence[int]) -> float:
    """Of ids under the logits of all but the last of them."""
    loss = torch.nn.functional.cross_entropy(logits[:-1], torch.tensor(list(ids[1:])))
    return float(loss.exp())


@torch.inference_mode()
def theirs(oracle: Any, ids: Sequence[int]) -> Tensor:
    """transformers' logits: float32 [tokens, vocabulary]."""
    logits: Tensor = oracle(torch.tensor([list(ids)])).logits[0].float()
    return logits


def compare(path: Path, count: int, model: Model, kernels: Kernels, oracle: Any) -> None:
    """Print what the module's docstring promises."""
    checkpoint = open_checkpoint(path)
    text = open_text(path, checkpoint.metadata)
    prompt, passage = text.raw(PROMPT), text.raw(TEXT)
    reply = greedy(Sequences(model, room=1024, kernels=kernels), prompt, count)
    logits = theirs(oracle, [*prompt, *reply])[len(prompt) - 1 : -1]
    want = logits.argmax(-1).tolist()
    differ = [i for i in range(count) if reply[i] != want[i]]
    print(f"greedy: {count} tokens, first difference: {differ[0] if differ else 'none'}")
    if differ:
        best = logits[differ[0]].topk(2).values
        print(f"  their two best logits there: {best[0]:.4f} {best[1]:.4f}")
    ours = Sequences(model, room=1024, kernels=kernels).run("p", passage, 128)
    mine, other = perplexity(ours, passage), perplexity(theirs(oracle, passage), passage)
    print(f"perplexity of {len(passage)} tokens: ours {mine:.4f}, theirs {other:.4f}", end="")
    print(f" ({100 * (mine / other - 1):+.3f} %)")


def main(arguments: Sequence[str]) -> None:
    """Compare one file."""
    from transformers import AutoModelForCausalLM

    path = Path(arguments[0])
    oracle = AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32
    ).eval()
    kernels = choose_kernels("cpu", None)
    model = build(open_checkpoint(path), kernels, lambda done, total: None)
    print(f"{path.name}, {kernels.name} kernels")
    try:
        compare(path, int(arguments[1]) if len(arguments) > 1 else 64, model, kernels, oracle)
    finally:
        kernels.close()


if __name__ == "__main__":
    main(sys.argv[1:])
