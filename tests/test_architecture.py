"""The arrows of DESIGN.md, section 1, checked from the imports themselves.

A package may import what its row names and itself. A violation planted in a copy of the tree is
found: an architecture that nothing checks is a wish.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
QT = ("PySide6", "shiboken6", "qtpy", "qtawesome")
HEAVY = ("torch", "numpy", "numba", "transformers", "accelerate", "safetensors", "llvmlite")

# package (longest match wins) -> what of ours it may import besides itself
ARROWS: dict[str, tuple[str, ...]] = {
    "engine.contract": (),
    "engine.weights": (),
    "engine.storage": ("engine.contract", "engine.weights"),
    "engine.library": ("engine.contract", "engine.storage"),
    "engine.library.runtime": (
        "engine.contract",
        "engine.library.downloads",
        "engine.library.folders",
        "engine.library.pip_settings",
    ),
    "engine.text": ("engine.contract",),
    "engine.kernels": ("engine.contract", "engine.weights"),
    "engine.layers": ("engine.contract", "engine.weights", "engine.kernels"),
    "engine.families": (
        "engine.contract",
        "engine.weights",
        "engine.kernels",
        "engine.layers",
        "engine.storage.checkpoint",
    ),
    "engine.generation": ("engine.contract",),
    "engine.quantization": (
        "engine.contract",
        "engine.weights",
        "engine.storage",
        "engine.library.copy_facts",
        "engine.library.partial_copies",
        "engine.library.recipes",
        "engine.library.write_fault",
    ),
    "engine.remote": ("engine.contract", "engine.library", "engine.text"),
    "engine.safety": ("engine.contract",),
    "engine.service": ("engine.contract", "engine.engine", "engine.safety.guard"),
    "engine.server": ("engine.contract", "engine.service", "engine.cli_words", "engine.safety"),
    "engine.terminal": ("engine.contract",),
    "engine": ("engine",),  # the composition root and what stands beside it
    "app.documents": ("engine.service",),
    "app.store": ("engine.contract",),
    "app.about": (),
    "app.update": ("engine.contract", "engine.library.downloads"),
    "app.start": ("app.store",),
    "app.rendering": ("engine.contract",),
    "app.language": ("app.traditional", "engine.contract"),
    "app.traditional": (),
    "app.engine_bridge": ("engine.contract", "engine.service"),
    "app.frozen": ("app.main", "engine.cli", "engine.service"),
    "app.chat": (
        "app.store",
        "app.engine_bridge",
        "engine.contract",
        "engine.library",
        "engine.server",
    ),
    "app.ui": (
        "app.chat",
        "app.documents",
        "app.rendering",
        "app.store",
        "app.about",
        "app.update",
        "app.start",
        "app.language",
        "engine.contract",
        "engine.library",
        "engine.server",
        "engine.safety",
        "engine.version",
    ),
    "app": (
        "app",
        "engine.contract",
        "engine.service",
        "engine.library",
        "engine.safety",
        "engine.server",
        "engine.version",
    ),
}
# package -> outside modules that it must not import at all
CLOSED: dict[str, tuple[str, ...]] = {
    "engine": ("app", *QT),
    "engine.text": ("torch", "transformers", "numba"),
    "engine.library": HEAVY,
    "engine.contract": HEAVY,
    "app": HEAVY,
    "app.documents": QT,
    "app.store": QT,
    "app.about": QT,
    "app.update": QT,
    "app.traditional": QT,
    "app.start": ("PySide6.QtWidgets", "qtawesome"),
    "app.chat": ("PySide6.QtWidgets", "PySide6.QtGui", "qtawesome"),
    "app.rendering": ("PySide6.QtWidgets", "qtawesome"),
}


def modules(root: Path) -> list[tuple[str, Path]]:
    """Every module of the two packages as (dotted name, file)."""
    files = [*sorted((root / "engine").rglob("*.py")), *sorted((root / "app").rglob("*.py"))]
    return [(".".join(f.relative_to(root).with_suffix("").parts), f) for f in files]


def imports(file: Path) -> list[str]:
    """Every module that a file imports, at its head or inside a function."""
    found: list[str] = []
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def inside(name: str, package: str) -> bool:
    """Whether a dotted name is the package or lies in it."""
    return name == package or name.startswith(package + ".")


def violations(root: Path) -> list[str]:
    """Every import that no arrow allows, as "module -> import"."""
    wrong: list[str] = []
    for module, file in modules(root):
        rows = [row for row in ARROWS if inside(module, row)]
        row = max(rows, key=len)
        closed = [c for package, names in CLOSED.items() if inside(module, package) for c in names]
        for target in imports(file):
            ours = inside(target, "engine") or inside(target, "app")
            allowed = any(inside(target, a) for a in (row, *ARROWS[row]))
            if (ours and not allowed) or any(inside(target, c) for c in closed):
                wrong.append(f"{module} -> {target}")
    return wrong


def test_every_import_follows_an_arrow() -> None:
    assert violations(ROOT) == []


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("engine/text/planted.py", "import torch"),
        ("engine/generation/planted.py", "from engine.families import registry"),
        ("engine/planted.py", "from PySide6.QtCore import QObject"),
        ("app/ui/planted.py", "from engine.engine import Engine"),
        ("app/store/planted.py", "def late() -> None:\n    import PySide6.QtCore"),
        ("app/chat/planted.py", "from PySide6.QtWidgets import QLabel"),
    ],
)
def test_a_planted_violation_is_found(tmp_path: Path, file: str, line: str) -> None:
    planted = tmp_path / file
    planted.parent.mkdir(parents=True)
    planted.write_text(line, "utf-8")
    assert len(violations(tmp_path)) == 1


@pytest.mark.parametrize(
    "module",
    ["engine", "engine.contract", "engine.service", "engine.library", "app", "app.application"],
)
def test_what_a_window_imports_loads_nothing_heavy(module: str) -> None:
    """The window is on screen before torch starts to load, so nothing on its way may import it."""
    code = (
        f"import sys, {module}; "
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr); "
        f"sys.exit(any(m in sys.modules for m in {HEAVY!r}))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
