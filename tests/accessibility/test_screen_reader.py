"""The window as a screen reader sees it: the real program, read from outside over AT-SPI."""

from __future__ import annotations

import re

from tests.accessibility.conftest import Node, Seen
from tests.accessibility.stage import QUESTION, STATES

# containers that only hold others, and decoration: a reader passes over them without a word
SILENT = {"filler", "panel", "layered pane", "image", "scroll bar", "viewport", "separator"}
CONTROLS = {
    "push button", "check box", "radio button", "text", "list", "list item", "slider", "menu item",
    "spin button", "combo box", "progress bar", "toggle button",
}  # fmt: skip
POLITE, ASSERTIVE = 1, 2


def everything(seen: dict[str, Seen]) -> list[tuple[str, Node]]:
    return [(state, node) for state, each in seen.items() for node in each.tree.walk()]


def test_I10_nothing_in_any_state_is_without_a_name(seen: dict[str, Seen]) -> None:
    assert set(seen) == set(STATES)
    assert len(everything(seen)) > 1000
    nameless = {
        (state, node.role, node.text[:30], node.about[:30])
        for state, node in everything(seen)
        if node.role not in SILENT and not node.name.strip()
    }
    assert nameless == set()


def test_I10_no_name_is_a_value_of_the_program_or_markup(seen: dict[str, Seen]) -> None:
    odd = re.compile(r"\[object|<[a-z/]|None\b|\{ ?\$|0x[0-9a-f]{6}|PySide")
    wrong = {
        (state, node.role, node.name, node.about)
        for state, node in everything(seen)
        if odd.search(node.name) or odd.search(node.about)
    }
    assert wrong == set()


def test_every_name_is_in_the_chosen_language(chinese: dict[str, Seen]) -> None:
    """Chinese names of buttons hold Chinese; names of things, figures and keys are the user's."""
    known = re.compile(
        r"[㐀-鿿]|^(Qwen|Gemma|SmolLM|English|Python|LaTeX|CPU|Ctrl|Inkstone"
        r"|Top-|Min-p|Typical-p|Mirostat|DRY|XTC)"
    )
    english = {
        (state, node.role, node.name)
        for state, node in everything(chinese)
        if node.role in {"push button", "check box", "menu item", "slider", "text"}
        and re.search("[a-zA-Z]{3}", node.name)
        and not known.search(node.name)
    }
    assert english == set()


def test_every_control_can_be_used(seen: dict[str, Seen]) -> None:
    """What is enabled and pressable says so; a list row can be chosen."""
    mute = {
        (state, node.role, node.name)
        for state, node in everything(seen)
        if node.role in {"push button", "check box", "radio button"}
        and "enabled" in node.states
        and not node.actions
    }
    assert mute == set()
    assert CONTROLS & {node.role for _, node in everything(seen)} >= {
        "push button", "check box", "text", "list", "list item", "slider",
    }  # fmt: skip


def test_turns_are_named_and_their_text_can_be_read(english: dict[str, Seen]) -> None:
    tree = english["answered"].tree
    question = tree.find("panel", f"Question: {QUESTION}")
    assert QUESTION in [node.text for node in question.walk()]
    reply = tree.find("panel", "Reply by Qwen3 4B")
    texts = {node.name: (node.text, node.about) for node in reply.walk() if node.role == "text"}
    assert texts["Text"][0] == "It floats because ice is lighter."
    assert texts["Code: Python"][0] == "print(1)"
    assert texts["Table, 1 row, 2 columns"][1] == "a, b; 1, 2"


def test_the_sheet_of_keys_is_read_row_by_row(english: dict[str, Seen]) -> None:
    tree = english["keys"].tree
    assert tree.find("list item", "New chat: Ctrl N")
    assert tree.find("text", "Find a key")
    assert english["keys"].focused[-1] == ("text", "Find a key")


def test_ones_own_questions_are_read_as_a_list(english: dict[str, Seen]) -> None:
    """A popup is not in the tree, as a menu is not: what gets the focus in it is read."""
    focused = english["questions"].focused
    assert {("list", "Your questions"), ("list item", QUESTION)} <= set(focused)


def test_the_licences_are_read_part_by_part(english: dict[str, Seen]) -> None:
    tree = english["licences"].tree
    assert tree.find("list", "Parts")
    assert tree.find("text", "Text of the licence")


def test_a_quick_question_is_read_with_its_answer(english: dict[str, Seen]) -> None:
    tree = english["quick"].tree
    assert tree.find("text", "Ask something")
    assert tree.find("text", "Answer")
    assert tree.find("push button", "Open as chat")


def test_the_first_thing_to_do_with_a_row_is_to_open_it(seen: dict[str, Seen]) -> None:
    """A voice or a switch does the first action of what it chose: Qt's own rows would be marked."""
    for state, names in (("answered", "Chats|对话"), ("models", "Models|模型")):
        lists = [n for n in seen[state].tree.walk() if n.role == "list"]
        (rows,) = (n.children for n in lists if re.fullmatch(names, n.name) and n.children)
        assert {row.actions for row in rows} == {("Press", "Toggle")}


def test_the_open_chats_settings_are_read_row_by_row(english: dict[str, Seen]) -> None:
    """A slider's name is its setting's, and where nothing is set that is said, too."""
    tree = english["open_chat"].tree
    assert "checked" in tree.find("check box", "Open chat").states
    assert tree.find("push button", "Thinking: auto")
    sliders = {node.name for node in tree.walk() if node.role == "slider"}
    assert {"Temperature", "Top-p", "Min-p"} <= sliders
    fields = {node.name: node.text for node in tree.walk() if node.role == "spin button"}
    assert fields["Temperature"] == "0.80"
    assert fields["Top-k"] == "40 tokens"
    assert fields["Longest answer"] == "No limit"


def test_the_way_to_the_advisor_is_read_under_the_reply_that_it_explains(
    english: dict[str, Seen],
) -> None:
    """A fault that no rule explains does not offer it: only the status line does then."""
    offers = {
        state: [
            node
            for turn in english[state].tree.walk()
            if turn.name.startswith("Reply by")
            for node in turn.walk()
            if node.name == "What is wrong?"
        ]
        for state in ("failed", "advised")
    }
    assert offers["failed"] == []
    (offered,) = offers["advised"]
    assert "enabled" in offered.states
    assert "Press" in offered.actions


def test_what_is_on_is_told_as_a_state(english: dict[str, Seen]) -> None:
    assert "checked" in english["settings"].tree.find("check box", "Settings").states
    assert "checked" not in english["settings"].tree.find("check box", "Benchmark").states
    assert english["answered"].tree.find("list item", f"{QUESTION}, open")


def test_what_a_page_covers_is_not_read(english: dict[str, Seen]) -> None:
    names = {node.name for node in english["welcome"].tree.walk()}
    assert "Start chatting" in names
    assert not {"Message", "Send", "Chats"} & names
    assert "Message" not in {node.name for node in english["models"].tree.walk()}


def test_the_focus_goes_where_it_is_needed_and_nowhere_on_its_way(english: dict[str, Seen]) -> None:
    assert english["welcome"].focused == [("push button", "Start chatting")]
    assert english["find"].focused[-1] == ("text", "Find in this chat")
    assert english["models"].focused[-1][0] == "list item"
    assert english["benchmark"].focused[-1] == ("push button", "Measure")
    wandered = [
        (state, each)
        for state in ("models", "benchmark", "settings", "search")
        for each in english[state].focused
        if each[1] == "Fold the sidebar"
    ]
    assert wandered == []


def test_a_menu_names_each_of_its_items(english: dict[str, Seen]) -> None:
    items = [name for role, name in english["menu"].focused if role == "menu item"]
    assert {"Rename", "Pin", "Delete"} <= {re.sub(r"[…\t].*", "", name) for name in items}


def test_answers_models_downloads_and_searches_are_announced(english: dict[str, Seen]) -> None:
    assert english["fetching"].announced == ["The download begins.", "Downloaded 25 percent."]
    assert english["empty"].announced == ["Loading Qwen3 4B.", "Qwen3 4B is ready."]
    assert english["answered"].announced == [
        "The answer begins.", "The answer is finished: 13 words.",
    ]  # fmt: skip
    assert english["version"].announced[-1] == "Version 1 of 2"
    assert english["find"].announced[-1] == "1 of 2"
    assert english["search"].announced == ["Found 1 chat by title, 0 messages by text."]


def test_an_error_breaks_in_and_the_rest_waits(english: dict[str, Seen]) -> None:
    told = [each for each in english["failed"].heard if each["kind"] == "announcement"]
    assert [each["how"] for each in told] == [POLITE, ASSERTIVE]
    assert told[1]["said"].startswith("The answer broke off. Something inside the engine broke.")
