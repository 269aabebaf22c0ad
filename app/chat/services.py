"""What every chat needs of the rest of the program, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from app.chat.inspections import Inspections
from app.chat.model_session import ModelSession
from app.chat.saving import Saving
from app.engine_bridge import EngineBridge
from app.store.chats import ChatStore
from app.store.settings import SettingsFile


@dataclass(frozen=True, slots=True)
class Services:
    """The store of a chat with its signals, the engine, the model, the settings, who looks in."""

    saving: Saving
    bridge: EngineBridge
    model: ModelSession
    settings: SettingsFile
    inspections: Inspections

    @property
    def store(self) -> ChatStore:
        """The store that ``saving`` speaks for."""
        return self.saving.store
