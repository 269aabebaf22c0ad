"""How fast the local server is with many clients at once, against one request after another.

    python tests/bench/serve.py MODEL [--clients 32] [--requests 64] [--tokens 32]

Each request asks for a text of its own (prompts of 10 to 200 words), greedy. The same requests go
one after another, then from all clients at once, then once more with every tenth client hanging up
early. Also: the memory of the server's process and of the engine's after each round. Prints a table
and a JSON line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import psutil

KEY = "sk-bench"
WORDS = (
    "rain",
    "snow",
    "river",
    "stone",
    "paper",
    "ink",
    "brush",
    "light",
    "night",
    "moon",
    "hill",
)


def main() -> int:
    """Start a server on the model, ask, report, stop it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--requests", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=32)
    options = parser.parse_args()
    program = [sys.executable, "-m", "engine", "serve", str(options.model), "--port", "0", "--json"]
    environment = os.environ | {"INKSTONE_SERVER_KEY": KEY}
    with subprocess.Popen(
        program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
    ) as server:
        try:
            address = _address(server)
            report = asyncio.run(_measure(address, server.pid, options))
        finally:
            server.terminate()
    alone, together = report["alone"], report["together"]
    print(f"one at a time: {alone:8.1f} tokens/s")
    print(f"{options.clients:3} clients:   {together:8.1f} tokens/s, {together / alone:.1f} times")
    print(f"memory: {report['memory_mb']} MB after each round")
    print(json.dumps(report))
    return 0


def _address(server: subprocess.Popen[str]) -> str:
    assert server.stdout
    for line in server.stdout:
        if address := json.loads(line).get("address"):
            return str(address)
    raise SystemExit("the server did not start")


async def _measure(address: str, pid: int, options: argparse.Namespace) -> dict[str, Any]:
    dice = random.Random(1)
    prompts = [
        " ".join(dice.choices(WORDS, k=dice.randrange(10, 200))) for _ in range(options.requests)
    ]
    headers = {"Authorization": f"Bearer {KEY}"}
    limits = httpx.Limits(max_connections=options.clients)
    memory = []
    async with httpx.AsyncClient(
        base_url=address, headers=headers, timeout=600, limits=limits
    ) as client:
        await _ask(client, "warm up", 4)
        memory.append(_memory(pid))
        alone = await _round(client, ["a " + p for p in prompts], options.tokens, 1)
        memory.append(_memory(pid))
        together = await _round(
            client, ["b " + p for p in prompts], options.tokens, options.clients
        )
        memory.append(_memory(pid))
        await _round(
            client, ["c " + p for p in prompts], options.tokens, options.clients, leaving=10
        )
        memory.append(_memory(pid))
    return {"alone": alone, "together": together, "memory_mb": memory}


async def _round(
    client: httpx.AsyncClient, prompts: list[str], tokens: int, clients: int, leaving: int = 0
) -> float:
    """All prompts, so many at a time; tokens written a second."""
    places = asyncio.Semaphore(clients)

    async def one(number: int, prompt: str) -> int:
        async with places:
            if leaving and number % leaving == 0:
                try:
                    await asyncio.wait_for(_ask(client, prompt, tokens), 0.3)
                except TimeoutError:
                    return 0
            return await _ask(client, prompt, tokens)

    begin = time.perf_counter()
    written = await asyncio.gather(*(one(n, p) for n, p in enumerate(prompts)))
    return sum(written) / (time.perf_counter() - begin)


async def _ask(client: httpx.AsyncClient, prompt: str, tokens: int) -> int:
    body = {"prompt": prompt, "max_tokens": tokens, "temperature": 0}
    answer = await client.post("/completions", json=body)
    answer.raise_for_status()
    return int(answer.json()["usage"]["completion_tokens"])


def _memory(pid: int) -> list[int]:
    """Resident MB of the server's process and of the engine's."""
    server = psutil.Process(pid)
    return [p.memory_info().rss // 1_000_000 for p in (server, *server.children())]


if __name__ == "__main__":
    sys.exit(main())
