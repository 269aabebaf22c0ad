"""Real other programs on loopback, each with the starter model."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

KEY = "sk-of-this-test"
STARTS_S = 900
"""How long a program may take to begin: torch and a model are read by cores that others use too."""
_CONVERT = """
import sys
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig
source, name, target = sys.argv[1:]
AutoTokenizer.from_pretrained(source, gguf_file=name).save_pretrained(target)
whole = GgufConfig(dequantize=True)
model = AutoModelForCausalLM.from_pretrained(source, gguf_file=name, quantization_config=whole)
model.save_pretrained(target)
"""


@dataclass(frozen=True)
class RealServer:
    """A program that answers; ``key`` is empty where it asks for none."""

    name: str
    address: str
    key: str
    model: str


@contextmanager
def inkstone(starter: Path) -> Iterator[RealServer]:
    """This program's own server."""
    program = [sys.executable, "-m", "engine", "serve", str(starter), "--port", "0", "--json"]
    with _running([*program, "--context", "2048"], subprocess.PIPE) as process:
        assert process.stdout is not None
        states = [json.loads(process.stdout.readline()) for _ in range(2)]
        address, key = states[1]["address"], states[1]["key"]
        yield RealServer("inkstone", address, key, _first_model(process, address, key))


@contextmanager
def llama_cpp(starter: Path) -> Iterator[RealServer]:
    """``llama-cpp-python[server]``, where ``INKSTONE_LLAMA_CPP_PYTHON`` or this Python has it."""
    python = _python("INKSTONE_LLAMA_CPP_PYTHON", "llama_cpp.server.app")
    port = _free_port()
    program = [python, "-m", "llama_cpp.server", "--model", str(starter), "--api_key", KEY]
    more = ["--n_ctx", "2048", "--port", str(port), "--host", "127.0.0.1"]
    with _running([*program, *more]) as process:
        address = f"http://127.0.0.1:{port}/v1"
        yield RealServer("llama.cpp", address, KEY, _first_model(process, address, KEY))


@contextmanager
def transformers_serve(starter: Path, folder: Path) -> Iterator[RealServer]:
    """``transformers serve`` of the starter as a folder of safetensors, written into ``folder``.

    By the Python that ``INKSTONE_TRANSFORMERS_PYTHON`` names, or by this one.
    """
    python = _python("INKSTONE_TRANSFORMERS_PYTHON", "fastapi, uvicorn")
    convert = [python, "-c", _CONVERT, str(starter.parent), starter.name, str(folder)]
    subprocess.run(convert, check=True, capture_output=True, timeout=STARTS_S, env=_offline())
    port = _free_port()
    serve = "import sys; from transformers.cli.transformers import main; sys.exit(main())"
    program = [python, "-c", serve, "serve", str(folder), "--device", "cpu", "--port", str(port)]
    with _running([*program, "--host", "127.0.0.1"]) as process:
        address = f"http://127.0.0.1:{port}/v1"
        yield RealServer("transformers", address, "", _first_model(process, address, ""))


def _offline() -> dict[str, str]:
    return os.environ | {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


def _python(variable: str, modules: str) -> str:
    """A Python that can import the modules; the test is skipped where there is none."""
    python = os.environ.get(variable) or sys.executable
    if not Path(python).exists():
        pytest.fail(f"{variable} names {python}, where there is no Python")
    tried = subprocess.run([python, "-c", f"import {modules}"], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip(f"{python} cannot import {modules}; {variable} may name another Python")
    return python


def _free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        port: int = made.getsockname()[1]
        return port


@contextmanager
def _running(
    program: Sequence[str], stdout: int = subprocess.DEVNULL
) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        program, stdout=stdout, stderr=subprocess.DEVNULL, text=True, env=_offline()
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _first_model(process: subprocess.Popen[str], address: str, key: str) -> str:
    """Wait until the server lists its models; the first one's name."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    deadline = time.monotonic() + STARTS_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            told = httpx.get(f"{address}/models", headers=headers)
        except httpx.TransportError:
            time.sleep(0.1)
            continue
        if told.status_code == 200 and told.json()["data"]:
            return str(told.json()["data"][0]["id"])
        time.sleep(0.1)
    pytest.fail(f"{address} did not begin to answer (exit status {process.poll()})")
