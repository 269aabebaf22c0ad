"""The other engine's side of a comparison: a script that its own Python runs.

Imports nothing of this project. One JSON object a line on standard input asks for something, one
on standard output answers. What the other engine prints goes to standard error.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

TOKEN = 5
"""Which token is fed does not change the time it takes."""


class LlamaCpp:
    """llama.cpp through llama-cpp-python's low-level interface: no sampling, no text."""

    def __init__(self, api: Any) -> None:
        self._api = api
        self._context: Any = None
        api.llama_backend_init()

    def load(self, path: str, threads: int, context: int, repack: bool) -> float:
        """Load a GGUF file; the seconds that took."""
        begin = time.perf_counter()
        model = self._api.llama_model_default_params()
        model.n_gpu_layers, model.use_extra_bufts = 0, repack
        held = self._api.llama_model_load_from_file(path.encode(), model)
        if not held:
            raise ValueError("llama.cpp does not load this file")
        wanted = self._api.llama_context_default_params()
        wanted.n_ctx, wanted.n_batch, wanted.n_ubatch = context, 512, 512
        wanted.n_threads = wanted.n_threads_batch = threads
        self._context = self._api.llama_init_from_model(held, wanted)
        return time.perf_counter() - begin

    def read(self, tokens: int, fresh: bool) -> float:
        """Feed so many tokens at once, after an emptied cache if ``fresh``; the seconds taken."""
        begin = time.perf_counter()
        if fresh:
            self._api.llama_memory_clear(self._api.llama_get_memory(self._context), True)
        for first in range(0, tokens, 512):
            self._feed(min(512, tokens - first))
        return time.perf_counter() - begin

    def write(self, tokens: int) -> float:
        """Feed so many tokens one after the other; the seconds taken."""
        begin = time.perf_counter()
        for _ in range(tokens):
            self._feed(1)
        return time.perf_counter() - begin

    def _feed(self, tokens: int) -> None:
        ids = (self._api.llama_token * tokens)(*[TOKEN] * tokens)
        batch = self._api.llama_batch_get_one(ids, tokens)
        if self._api.llama_decode(self._context, batch) != 0:
            raise ValueError("llama.cpp failed to compute")
        self._api.llama_get_logits_ith(self._context, -1)


def peak_bytes() -> int:
    """The most memory that this process ever held; 0 where the system does not say."""
    try:
        import resource  # noqa: PLC0415 (not on Windows)
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024


def answer(peer: LlamaCpp, asked: dict[str, Any]) -> float:
    """Do what is asked: seconds, or bytes for ``peak``."""
    what = asked.pop("do")
    acts: dict[str, Callable[..., float]] = {
        "load": peer.load, "read": peer.read, "write": peer.write, "peak": peak_bytes
    }  # fmt: skip
    return acts[what](**asked)


def main() -> None:
    """Answer until the input ends."""
    sys.path[:0] = sys.argv[1:]
    try:
        import llama_cpp  # noqa: PLC0415 (its folder is known only now)
    except ImportError as error:
        whole = error.name == "llama_cpp" and isinstance(error, ModuleNotFoundError)
        print(json.dumps({"missing" if whole else "broken": str(error)}), flush=True)
        return
    except (OSError, RuntimeError, AttributeError, ValueError, SyntaxError) as error:
        print(json.dumps({"broken": f"{type(error).__name__}: {error}"}), flush=True)
        return
    print(json.dumps({"version": llama_cpp.__version__}), flush=True)
    peer = LlamaCpp(llama_cpp)
    for line in sys.stdin:
        try:
            print(json.dumps({"answer": answer(peer, json.loads(line))}), flush=True)
        except ValueError as error:
            print(json.dumps({"failed": str(error)}), flush=True)


if __name__ == "__main__":
    main()
