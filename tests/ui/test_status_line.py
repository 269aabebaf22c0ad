"""The status line: figures from the engine, what gives way first, what the network is used for."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.ui.look import Look
from app.ui.status_line import StatusLine
from engine.contract import Loaded, Memory, Metrics, Sampling
from tests.doubles.scripts import model_facts

LOADED = Loaded(
    1, model_facts(Path("SmolLM2.gguf")), 8192, "cpu", 8,
    Memory(100_000_000, 200_000_000, 300_000_000, 900_000_000), Sampling(), False, 0.4,
)  # fmt: skip


def metrics(speed: float | None, first_s: float = 0.84, used: int = 1746) -> Metrics:
    return Metrics(2, 10, speed, first_s, used, 8192, Memory(10**9, 10**9, 2 * 10**9, 0))


@pytest.fixture
def line(look: Look, qtbot: QtBot) -> StatusLine:
    line = StatusLine(look)
    qtbot.addWidget(line)
    line.resize(1280, 30)
    line.show_memory_total(16_000_000_000)
    return line


def words(line: StatusLine) -> str:
    shown = [item for item in line._items if not item.isHidden()]
    labels = [label for item in shown for label in item.findChildren(type(line._name).__mro__[1])]
    return " ".join(label.text() for label in labels if not label.isHidden() and label.text())


def test_without_a_model_it_says_so(line: StatusLine) -> None:
    assert words(line) == "No model loaded"


def test_the_figures_of_a_running_reply_are_the_engines(line: StatusLine) -> None:
    line.show_model(LOADED)
    line.set_answering(True)
    line.show_metrics(metrics(13.21))
    said = words(line)
    for part in ("13.2 tok/s", "First word 0.84 s", "1,746 of 8,192", "4.0 of 16 GB", "8 threads"):
        assert part in said


def test_a_chat_that_was_there_before_its_model_is_counted(line: StatusLine) -> None:
    line.show_end(41.8, 0.31, 1786)
    assert words(line) == "No model loaded"
    line.show_model(LOADED)
    assert "1,786 of 8,192" in words(line)


def test_I9_a_reply_without_a_speed_yet_shows_no_number(line: StatusLine) -> None:
    """One token, or a long prompt, is no speed: the engine says None, and the line a dash."""
    line.show_model(LOADED)
    line.set_answering(True)
    line.show_metrics(metrics(None))
    assert "– tok/s" in words(line)
    line.show_metrics(metrics(None), at_once=True)
    assert "– tok/s" in words(line)


def test_I9_the_last_speed_stays_after_the_reply(line: StatusLine) -> None:
    line.show_model(LOADED)
    line.set_answering(True)
    line.show_metrics(metrics(41.8))
    line.set_answering(False)
    line.show_end(41.8, 0.31, 1786)
    assert "Idle · last 41.8 tok/s" in words(line)
    line.show_end(None, 0.31, 1786)  # a reply of one token has no speed of its own
    assert "41.8 tok/s" in words(line)


def test_figures_change_twice_a_second_at_most(line: StatusLine) -> None:
    line.show_model(LOADED)
    line.set_answering(True)
    line.show_metrics(metrics(10.0))
    line.show_metrics(metrics(99.0))
    assert "10.0 tok/s" in words(line)
    assert len(line._bars._speeds) == 1


def test_device_memory_and_first_word_give_way_in_this_order(line: StatusLine) -> None:
    line.show_model(LOADED)
    line.set_answering(True)
    line.show_metrics(metrics(13.2))
    hidden: list[str] = []
    items = {"device": line._device, "memory": line._memory_item, "first": line._first}
    for width in range(1280, 400, -4):
        line.resize(width, 30)
        line._fit()
        hidden += [name for name, item in items.items() if item.isHidden() and name not in hidden]
        short = line.network.words.text() == "Local"
        if short and "words" not in hidden:
            hidden.append("words")
        if line.network.words.isHidden() and "sign" not in hidden:
            hidden.append("sign")
            assert line.network.accessibleName() == "Local"
            assert line.network.toolTip() == UNUSED
    assert hidden == ["device", "memory", "first", "words", "sign"]
    for kept in (line._model, line._speed_item, line._context):
        assert not kept.isHidden()


def test_only_the_items_between_have_a_hairline(line: StatusLine) -> None:
    line.show_model(LOADED)
    shown = [item for item in line._items if not item.isHidden()]
    assert [item._rule.isHidden() for item in shown] == [False] * (len(shown) - 1) + [True]


def badge(line: StatusLine) -> tuple[str, str]:
    """Return what the pill says, and its tone."""
    return line.network.accessibleName(), line.network.property("tone")


UNUSED = "On this computer · the network is not used"
AWAY = "https://api.example.com/v1"
STATES: list[tuple[str, dict[str, object], str, str]] = [
    ("nothing", {}, UNUSED, "在本机 · 没有使用网络"),
    ("switch", {"switch": True}, "Offline · nothing leaves this computer", "离线 · 内容不离开本机"),
    ("download", {"downloads": 1}, "Network used for 1 download only", "网络只用于 1 个下载"),
    ("search", {"asking": "hub"}, "Network used for a search only", "网络只用于搜索"),
    ("update", {"asking": "update"}, "Network used to look for a newer version only",
     "网络只用于查找新版本"),
    ("server asked", {"asking": "server"}, "Network used to ask a server", "正在用网络询问服务器"),
    ("other program", {"server": "http://127.0.0.1:9/v1"},
     "On this computer, another program: 127.0.0.1:9",
     "在这台电脑上，由另一个程序回答：127.0.0.1:9"),
    ("served", {"served": True}, "Local server · other computers reach this one",
     "本地服务器 · 其他电脑可以访问"),
    ("away", {"server": AWAY}, "Text leaves this computer: api.example.com",
     "文字会离开这台电脑：api.example.com"),
    ("away, downloading", {"server": AWAY, "downloads": 2},
     "Text leaves this computer: api.example.com · 2 downloads",
     "文字会离开这台电脑：api.example.com · 2 个下载"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("state", "english", "chinese"), [each[1:] for each in STATES], ids=[each[0] for each in STATES]
)
def test_the_badge_is_true_in_each_state_in_both_languages(
    line: StatusLine, look: Look, state: dict[str, object], english: str, chinese: str
) -> None:
    line.network.show_switch(is_on=bool(state.get("switch")))
    line.network.show_downloads(int(str(state.get("downloads", 0))))
    line.network.show_served(is_served=bool(state.get("served")))
    line.network.show_server(str(state.get("server", "")))
    for of in ("hub", "update", "server"):
        line.network.show_asking(of, is_asking=state.get("asking") == of)
    is_used = bool(state.keys() - {"switch"}) and state.get("server") != "http://127.0.0.1:9/v1"
    assert badge(line) == (english, "network" if is_used else "offline")
    look.language.use("zh_CN")
    line.network.say(full=True)
    assert badge(line)[0] == chinese


def test_one_who_has_asked_does_not_end_the_question_of_another(line: StatusLine) -> None:
    line.network.show_asking("update", is_asking=True)
    line.network.show_asking("hub", is_asking=False)
    assert badge(line)[0] == "Network used to look for a newer version only"


def test_a_servers_model_leaves_this_computer_from_its_loading_on(line: StatusLine) -> None:
    line.show_model(None)
    line.show_loading("Big", AWAY)
    assert badge(line)[0].startswith("Text leaves this computer")
    line.show_model(None)
    line.show_loading("")
    assert badge(line)[0] == UNUSED


def test_a_switch_of_language_says_the_same_figures(line: StatusLine, look: Look) -> None:
    line.show_model(LOADED)
    line.set_answering(True)
    line.show_metrics(metrics(13.2))
    look.language.use("zh_CN")
    said = words(line)
    assert "13.2 词元/秒" in said
    assert "首字 0.84 秒" in said
    assert "8 线程" in said


def test_a_nearly_full_context_warns(line: StatusLine) -> None:
    line.show_model(LOADED)
    line.show_context(7900)
    assert line._context_bar._token == "ochre"
