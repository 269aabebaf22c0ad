"""What cannot be saved is said as long as it is so; how the chats were opened stays said."""

from __future__ import annotations

from app.store.faults import StoreFault, StoreFaultKind
from app.store.folders import chats_path, data_folder
from tests.app.conftest import Program


def test_S4_room_on_the_disk_takes_back_its_notice_and_no_other(program: Program) -> None:
    path = chats_path(data_folder())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"not a database " * 1000)
    window = program.start()
    notices = window.window.notices
    program.qtbot.waitUntil(lambda: "store-set_aside" in notices.keys())  # noqa: SIM118
    full = StoreFault(StoreFaultKind.DISK_FULL, {"path": str(path), "free": 0})
    window.saving.refused.emit(full)
    window.saving.refused.emit(full)
    assert notices.keys() == ["store-set_aside", "store-disk_full"]
    window.saving.recovered.emit()
    assert notices.keys() == ["store-set_aside"]
