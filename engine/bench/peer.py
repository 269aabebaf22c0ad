"""Another engine in a process of its own, which reads and writes as many tokens as ours."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engine.bench import peer_process
from engine.bench.figures import Side, spread

HELLO_S, ANSWER_S = 60.0, 900.0
"""Seconds that a peer has to say its version (imports take two or three), and for an answer: a
prompt of a slow, large model takes minutes. A process that never answers would be waited for."""


class PeerError(Exception):
    """The other engine is not there, or cannot do this; the text says it to a user."""


class Peer:
    """llama.cpp with one file, measured round by round.

    Args:
        where: a Python program, or a site-packages folder for this one; None: this environment.
        repack: let llama.cpp rearrange weights, as it does unless it is told otherwise.

    Raises:
        PeerError: llama-cpp-python is not there.
    """

    def __init__(self, where: Path | None, *, repack: bool) -> None:
        self._repack = repack
        self._prefills: list[float] = []
        self._decodes: list[float] = []
        self._load_s = self._cold_s = self._second_s = 0.0
        folder = where is not None and where.is_dir()
        python = sys.executable if where is None or folder else _program(where)
        script = [python, "-P", str(Path(peer_process.__file__)), *([str(where)] if folder else [])]
        try:
            self._process = subprocess.Popen(
                script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                text=True, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise PeerError(f"{python} cannot be started: {error.strerror}.") from error
        self.version = self._hello()

    def _hello(self) -> str:
        try:
            said = self._next(HELLO_S)
        except PeerError:
            self.close()
            raise
        if "version" in said:
            return str(said["version"])
        self.close()
        if "broken" in said:
            raise PeerError(f"llama-cpp-python is there and does not start: {said['broken']}.")
        raise PeerError(
            "llama-cpp-python is not installed: pip install 'inkstone[peer]' builds it in "
            "some minutes, or --peer names a Python or a site-packages folder that has it."
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._kill()
        self._process.wait()

    def _kill(self) -> None:
        """End the process with those that it started: its session's, where there are such."""
        if self._process.poll() is None and sys.platform != "win32":
            os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def load(self, path: Path, threads: int, context: int) -> None:
        """Load the file.

        Raises:
            PeerError: it cannot.
        """
        self._load_s = self._ask(
            "load", path=str(path), threads=threads, context=context, repack=self._repack
        )

    def two_turns(self, first: int, reply: int, second: int) -> None:
        """Read a first question, write a reply, read what a second question adds."""
        self._cold_s = self._ask("read", tokens=first, fresh=True)
        self._ask("write", tokens=reply)
        self._second_s = self._ask("read", tokens=second, fresh=False)

    def prefill(self, tokens: int) -> None:
        """One round of reading a prompt."""
        self._prefills.append(tokens / self._ask("read", tokens=tokens, fresh=True))

    def decode(self, prompt: int, tokens: int) -> None:
        """One round of writing after a short prompt."""
        self._ask("read", tokens=prompt, fresh=True)
        self._decodes.append(tokens / self._ask("write", tokens=tokens))

    def side(self) -> Side:
        """What was measured."""
        name = f"llama.cpp ({self.version}{'' if self._repack else ', --repack 0'})"
        return Side(
            name=name, load_s=self._load_s, prefill=spread(self._prefills),
            decode=spread(self._decodes), time_to_first_token_cold_s=self._cold_s,
            time_to_first_token_second_turn_s=self._second_s, peak_bytes=int(self._ask("peak")),
        )  # fmt: skip

    def _ask(self, what: str, **asked: Any) -> float:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"do": what, **asked}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise PeerError("llama.cpp ended unexpectedly.") from None
        said = self._next(ANSWER_S)
        if "answer" not in said:
            raise PeerError(f"{said.get('failed', 'llama.cpp ended unexpectedly')}.")
        return float(said["answer"])

    def _next(self, limit_s: float) -> dict[str, Any]:
        """What the process says next; nothing if it ended, or says no JSON.

        Raises:
            PeerError: it did not answer in time, and was ended.
        """
        late = threading.Event()

        def end() -> None:
            late.set()
            self._kill()

        timer = threading.Timer(limit_s, end)
        timer.start()
        try:
            said = self._line()
        finally:
            timer.cancel()
            timer.join()
        if late.is_set():
            raise PeerError(
                f"The peer did not answer within {limit_s:.0f} seconds and was ended. A smaller "
                "--prompt-tokens or --decode-tokens asks less of it."
            )
        return said

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        try:
            line = self._process.stdout.readline()
            said = json.loads(line) if line else {}
        except ValueError:  # not our script's answer: --peer names another program
            said = {}
        return said if isinstance(said, dict) else {}


def _program(where: Path) -> str:
    """A program by its path, which a shell's search path has no part in if the file is there."""
    return str(where.absolute() if where.is_file() else where)
