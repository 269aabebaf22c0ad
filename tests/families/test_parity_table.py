"""The README's tables are those of the families and formats that there are."""

from __future__ import annotations

from engine.families.registry import FAMILIES
from tests.families.parity_table import ARCHITECTURES, QUANTIZATION, README, with_table
from tests.families.quantized import FAMILIES as QUANTIZED
from tests.families.quantized_formats import FORMATS


def rows(begin: str) -> list[str]:
    """The first cell of each row of the README's table that begins so, its head first."""
    lines = README.read_text("utf-8").split("\n")
    table = lines[next(i for i, line in enumerate(lines) if line.startswith(begin)) :]
    end = next(i for i, line in enumerate(table) if not line.startswith("|"))
    return [line.split("|")[1].strip() for line in table[:end]]


def test_every_architecture_has_its_row() -> None:
    names = [", ".join(family.model_types) for family in FAMILIES]
    assert rows(ARCHITECTURES) == ["architecture", "---", *names]


def test_every_format_has_its_row_and_every_quantized_architecture_its_column() -> None:
    assert rows(QUANTIZATION) == ["format", "---", *(form.name for form in FORMATS)]
    head = next(
        line for line in README.read_text("utf-8").split("\n") if line.startswith(QUANTIZATION)
    )
    assert [cell.strip() for cell in head.split("|")[2:-1]] == list(QUANTIZED)


def test_a_table_takes_the_place_of_the_one_before() -> None:
    text = "a\n\n| format | x |\n| --- | --- |\n| old | 1 |\n| old | 2 |\n\nb\n"
    table = ["| format | y |", "| --- | --- |", "| new | 3 |"]
    assert with_table(text, table) == "a\n\n" + "\n".join(table) + "\n\nb\n"
