"""S8: chats of other programs come in whole; what cannot be read is counted and named."""

from __future__ import annotations

import json
import zipfile
from html import escape
from pathlib import Path
from typing import Any

import pytest

from app.chat.importing import ImportReport, read_chats
from app.store.bundle import Bundle
from app.store.faults import Unreadable

SECOND = 1_700_000_000


def node(key: str, parent: str | None, message: Any, *children: str) -> dict[str, Any]:
    return {"id": key, "parent": parent, "message": message, "children": list(children)}


def said(role: str, *parts: Any, at: float = SECOND, **more: Any) -> dict[str, Any]:
    return {
        "author": {"role": role},
        "create_time": at,
        "content": {"content_type": "text", "parts": list(parts)},
        **more,
    }


CHATGPT: dict[str, Any] = {
    "title": "Tomatoes 番茄",
    "create_time": SECOND,
    "update_time": SECOND + 60,
    "current_node": "a1",
    "mapping": {
        "root": node("root", None, None, "sys"),
        "sys": node("sys", "root", said("system", "hidden rules"), "q"),
        "q": node("q", "sys", said("user", "Can I?"), "t", "a2"),  # no metadata: real exports
        "t": node(
            "t",
            "q",
            {
                "author": {"role": "assistant"},
                "content": {
                    "content_type": "thoughts",
                    "thoughts": [{"summary": "Sun", "content": "East is morning."}],
                },
            },
            "a1",
        ),
        "a1": node(
            "a1", "t", said("assistant", "Yes.", at=SECOND + 5, metadata={"model_slug": "gpt-4o"})
        ),
        "a2": node("a2", "q", said("assistant", "No.", metadata=None)),
    },
}
OPEN_WEBUI: dict[str, Any] = {
    "id": "x",
    "title": "Rent",
    "created_at": SECOND,
    "updated_at": SECOND + 9,
    "pinned": True,
    "meta": {"tags": ["home", None]},
    "chat": {
        "title": "Rent",
        "history": {
            "currentId": "b",
            "messages": {
                "q": {
                    "id": "q",
                    "parentId": None,
                    "role": "user",
                    "content": "押金？",
                    "timestamp": SECOND,
                },
                "a": {
                    "id": "a",
                    "parentId": "q",
                    "role": "assistant",
                    "content": '<details type="reasoning" done="true">\n<summary>T</summary>\n'
                    "> one month\n> is usual\n</details>\n一个月。",
                    "model": "qwen3:4b",
                },
                "b": {"id": "b", "parentId": "q", "role": "assistant", "content": "两个月。"},
            },
        },
    },
}
LM_STUDIO: dict[str, Any] = {
    "name": "Prices",
    "createdAt": SECOND * 1000,
    "systemPrompt": "Be brief.",
    "messages": [
        {
            "versions": [
                {
                    "type": "singleStep",
                    "role": "user",
                    "content": [{"type": "text", "text": "How much?"}],
                }
            ],
            "currentlySelected": 0,
        },
        {
            "versions": [
                {
                    "type": "multiStep",
                    "role": "assistant",
                    "senderInfo": {"senderName": "qwen"},
                    "steps": [
                        {
                            "type": "contentBlock",
                            "style": {"type": "thinking"},
                            "content": [{"type": "text", "text": "hm"}],
                        },
                        {
                            "type": "contentBlock",
                            "content": [
                                {"type": "text", "text": "$5 to "},
                                {"type": "text", "text": "$10"},
                            ],
                        },
                        {"type": "debugInfoBlock", "debugInfo": "x"},
                    ],
                },
                {
                    "type": "multiStep",
                    "role": "assistant",
                    "steps": [
                        {"type": "contentBlock", "content": [{"type": "text", "text": "Other."}]}
                    ],
                },
            ],
            "currentlySelected": 0,
        },
    ],
}


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def only(report: ImportReport) -> Bundle:
    assert report.failures == []
    (bundle,) = report.bundles
    return bundle


def turns(bundle: Bundle) -> list[tuple[int | None, str, str, str]]:
    return [(turn.parent, turn.role, turn.content, turn.reasoning) for turn in bundle.turns]


def test_S8_chatgpts_old_layout_with_branches_thoughts_and_no_metadata(tmp_path: Path) -> None:
    report = read_chats(write(tmp_path / "conversations.json", [CHATGPT]))
    bundle = only(report)
    assert turns(bundle) == [
        (None, "user", "Can I?", ""),
        (1, "assistant", "Yes.", "Sun\nEast is morning."),
        (1, "assistant", "No.", ""),
    ]
    assert (bundle.row.title, bundle.row.created) == ("Tomatoes 番茄", SECOND * 1_000_000)
    assert bundle.choices == {0: 1, 1: 2}
    assert bundle.turns[1].model == "gpt-4o"
    assert report.sources == {"chatgpt"}


def test_S8_chatgpts_new_layout_is_a_zip_of_many_parts(tmp_path: Path) -> None:
    parts = {
        "conversations-000.json": [CHATGPT, CHATGPT | {"title": None}],
        "conversations-001.json": [CHATGPT | {"mapping": {}}, CHATGPT | {"mapping": [1]}],
        "user.json": {"id": "me"},
        "export_manifest.json": {"files": []},
        "conversations-002.json": "not json",
        "chat.html": "<html>",
    }
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for name, value in parts.items():
            archive.writestr(name, value if value == "not json" else json.dumps(value))
    report = read_chats(tmp_path / "export.zip")
    assert [bundle.row.title for bundle in report.bundles] == ["Tomatoes 番茄", "Can I?"]
    assert report.empty == 1
    assert [(failure.name, failure.reason) for failure in report.failures] == [
        ("Tomatoes 番茄", Unreadable.NO_CHATS),
        ("conversations-002.json", Unreadable.NOT_JSON),
    ]


def test_S8_thoughts_of_an_answer_that_was_stopped_are_kept(tmp_path: Path) -> None:
    stopped = json.loads(json.dumps(CHATGPT))
    del stopped["mapping"]["a1"]
    bundle = only(read_chats(write(tmp_path / "c.json", [stopped])))
    assert (1, "assistant", "", "Sun\nEast is morning.") in turns(bundle)


def test_open_webuis_tree_with_a_thought(tmp_path: Path) -> None:
    bundle = only(read_chats(write(tmp_path / "export.json", [OPEN_WEBUI])))
    assert turns(bundle) == [
        (None, "user", "押金？", ""),
        (1, "assistant", "一个月。", "one month\nis usual"),
        (1, "assistant", "两个月。", ""),
    ]
    assert (bundle.row.pinned, bundle.row.tags, bundle.choices) == (True, "home", {0: 1, 1: 3})


def test_open_webuis_escaped_thoughts_calls_and_code_come_in_as_text(tmp_path: Path) -> None:
    """As its newer versions write them: several in one answer, their values escaped."""
    thought = '<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds'
    call = escape(json.dumps(json.dumps({"city": "Köln"})))
    result = escape(json.dumps('12 °C & "rain"'))
    answer = (
        f"{thought}</summary>\n{escape('> if a < b')}\n{escape('>')}\n{escape('> then')}\n"
        '</details>\n<details type="tool_calls" done="true" id="1" name="weather" '
        f'arguments="{call}" result="{result}" files="">\n'
        "<summary>Tool Executed</summary>\n</details>\n"
        f"{thought}</summary>\n{escape('> so')}\n</details>\nIt rains.\n"
        f'<details type="code_interpreter" done="true" output="{escape(json.dumps("7"))}">\n'
        "<summary>Analyzed</summary>\n```python\nprint(7)\n```\n</details>\n"
        '<details type="other">\nkept\n</details>'
    )
    asked = '<details type="reasoning">mine</details>'
    messages = [{"role": "user", "content": asked}, {"role": "assistant", "content": answer}]
    bundle = only(read_chats(write(tmp_path / "new.json", [{"chat": {"messages": messages}}])))
    said = (
        '```json\n{"name": "weather", "arguments": {"city": "Köln"}, '
        '"result": "12 °C & \\"rain\\""}\n```\n\nIt rains.\n'
        "```python\nprint(7)\n```\n\n```\n7\n```\n\n"
        '<details type="other">\nkept\n</details>'
    )
    assert turns(bundle) == [
        (None, "user", asked, ""),
        (1, "assistant", said, "if a < b\n\nthen\n\nso"),
    ]


def test_open_webuis_older_plain_list(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [{"type": "text", "text": "b"}]},
    ]
    old = {"title": "t", "chat": {"messages": messages}}
    bundle = only(read_chats(write(tmp_path / "old.json", [old])))
    assert turns(bundle) == [(None, "user", "a", ""), (1, "assistant", "b", "")]


def test_lm_studios_versions_and_steps(tmp_path: Path) -> None:
    write(tmp_path / "conversations" / "1.conversation.json", LM_STUDIO)
    bundle = only(read_chats(tmp_path))
    assert turns(bundle) == [
        (None, "user", "How much?", ""),
        (1, "assistant", "$5 to $10", "hm"),
        (1, "assistant", "Other.", ""),
    ]
    assert bundle.row.created == SECOND * 1_000_000
    assert json.loads(bundle.row.options) == {"system": "Be brief."}
    assert bundle.choices == {0: 1, 1: 2}


def test_jans_threads_in_their_folders(tmp_path: Path) -> None:
    thread = {
        "id": "jan_1",
        "object": "thread",
        "title": "Bread",
        "created": SECOND,
        "assistants": [{"instructions": "", "model": {"id": "llama"}}],
    }
    write(tmp_path / "threads" / "jan_1" / "thread.json", thread)
    lines = [
        {
            "object": "thread.message",
            "thread_id": "jan_1",
            "role": role,
            "created_at": SECOND * 1000 + place,
            "content": [{"type": "text", "text": {"value": text, "annotations": []}}],
        }
        for place, (role, text) in enumerate(
            [("user", "When?"), ("assistant", "<think>\nhm\n</think>\n\nOn\u2028Sunday.")]
        )
    ]
    text = "\r\n".join(json.dumps(line, ensure_ascii=False) for line in reversed(lines))
    (tmp_path / "threads" / "jan_1" / "messages.jsonl").write_text(text, "utf-8")
    bundle = only(read_chats(tmp_path))
    assert turns(bundle) == [
        (None, "user", "When?", ""),
        (1, "assistant", "On\u2028Sunday.", "hm"),
    ]
    assert (bundle.row.title, bundle.turns[1].model) == ("Bread", "llama")


@pytest.mark.parametrize("odd", [None, 1, "x", [], {}, [None], {"a": 1}, True, 1e400, -5])
@pytest.mark.parametrize("chat", [CHATGPT, OPEN_WEBUI, LM_STUDIO])
def test_odd_values_anywhere_fail_no_import(tmp_path: Path, chat: Any, odd: Any) -> None:
    """Every value of a chat is replaced by an odd one in turn; a good chat stands beside it."""
    for place in range(count(chat)):
        broken = replaced(json.loads(json.dumps(chat)), place, odd)
        report = read_chats(write(tmp_path / "odd.json", [broken, CHATGPT]))
        assert "Tomatoes 番茄" in [bundle.row.title for bundle in report.bundles]
        for bundle in report.bundles:
            known: set[int] = set()
            for turn in bundle.turns:
                assert turn.parent is None or turn.parent in known
                known.add(turn.id)


def count(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(count, inner))


def replaced(value: Any, place: int, odd: Any) -> Any:
    """Replace the value at a place, counted depth first."""
    counter = iter(range(10_000))

    def walk(each: Any) -> Any:
        if next(counter) == place:
            return odd
        if isinstance(each, dict):
            return {name: walk(inner) for name, inner in each.items()}
        return [walk(inner) for inner in each] if isinstance(each, list) else each

    return walk(value)


def test_files_that_hold_no_chats_are_named(tmp_path: Path) -> None:
    write(tmp_path / "a.json", {"some": "thing"})
    (tmp_path / "b.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "c.zip").write_bytes(b"PK\x03\x04 broken")
    assert [failure.name for failure in read_chats(tmp_path).failures] == ["a.json", "b.json"]
    assert [failure.name for failure in read_chats(tmp_path / "c.zip").failures] == ["c.zip"]
    assert [failure.name for failure in read_chats(tmp_path / "none").failures] == ["none"]


def test_messages_in_a_circle_are_all_kept(tmp_path: Path) -> None:
    circle = json.loads(json.dumps(CHATGPT))
    circle["mapping"] = {
        "a": node("a", "b", said("user", "one")),
        "b": node("b", "a", said("assistant", "two")),
    }
    bundle = only(read_chats(write(tmp_path / "c.json", [circle])))
    assert {turn.content for turn in bundle.turns} == {"one", "two"}
