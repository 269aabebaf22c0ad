"""The local server: this computer's model behind OpenAI's interface, for other programs.

It asks the same engine as the window, so its requests and the visible chat share each step, and the
chat comes first. It runs on a thread of its own with an event loop; nothing here blocks the caller.
Importing this package loads no event loop either; ``engine.server.local_server`` does, and its
thread then starlette, uvicorn and pydantic.
"""

from engine.server.records import Obstacle, Phase, RequestRecord, ServerState
from engine.server.settings import (
    DEFAULT_PORT,
    EVERYWHERE,
    KEY_ACCOUNT,
    ServerSettings,
    is_loopback,
    new_key,
    wished,
)

__all__ = [
    "DEFAULT_PORT",
    "EVERYWHERE",
    "KEY_ACCOUNT",
    "Obstacle",
    "Phase",
    "RequestRecord",
    "ServerSettings",
    "ServerState",
    "is_loopback",
    "new_key",
    "wished",
]
