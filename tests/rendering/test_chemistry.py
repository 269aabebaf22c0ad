r"""What ``\ce{…}`` holds is read whole, or left as it stands."""

from __future__ import annotations

import re

import pytest

from app.rendering.chemistry import chemistry, with_chemistry


def shown(written: str) -> str:
    """Return the LaTeX of an equation without what only says how it is set."""
    latex = chemistry(written)
    assert latex is not None, written
    return re.sub(r"\\mathrm\{([^{}]*)\}|\\[,;]\s*", r"\1", latex).replace(" ", "")


@pytest.mark.parametrize(
    ("written", "latex"),
    [
        ("H2O", "H_{2}O"),
        ("2H2O", "2H_{2}O"),
        ("SO4^2-", "SO_{4}^{2−}"),
        ("Fe^{3+}", "Fe^{3+}"),
        ("Na+", "Na^{+}"),
        ("e-", "e^{−}"),
        ("Ca(OH)2", "Ca(OH)_{2}"),
        ("[Cu(NH3)4]^2+", "[Cu(NH_{3})_{4}]^{2+}"),
        ("CuSO4.5H2O", r"CuSO_{4}\cdot5H_{2}O"),
        ("^{14}_{6}C", "{}^{14}_{6}C"),
        ("^14_6C", "{}^{14}_{6}C"),
        ("CH2=CH2", "CH_{2}{=}CH_{2}"),
        ("HC#CH", "HC{≡}CH"),
        ("NaCl(aq)", r"NaCl\text{(aq)}"),
        ("CO2 ^", r"CO_{2}\uparrow"),
        ("AgCl v", r"AgCl\downarrow"),
        ("1/2 O2", r"\tfrac{1}{2}O_{2}"),
        ("Na+ + Cl-", "Na^{+}+Cl^{−}"),
        ("A -> B", r"A\\longrightarrow\B"),
        ("A <=> B", r"A\\mathrel{⇌}\B"),
        ("A ->[Fe][450 °C] B", r"A\\overset{Fe}{\underset{\text{450°C}}{\longrightarrow}}\B"),
        ("A ->[点燃] B", r"A\\overset{\text{点燃}}{\longrightarrow}\B"),
    ],
)
def test_an_equation_is_read(written: str, latex: str) -> None:
    assert shown(written) == latex


def test_all_of_them_in_a_formula_are_replaced() -> None:
    made = with_chemistry(r"x = \ce{H2} + \ce{O2 ->[\Delta] X}")
    assert r"\ce" not in made
    assert made.startswith("x = {")


@pytest.mark.parametrize("source", [r"\ce{A §§ B}", r"\ce{A", r"\cee{A}", "x"])
def test_what_is_not_understood_is_left_as_it_stands(source: str) -> None:
    assert with_chemistry(source) == source
