"""Which installed packages the program takes along, and what of them it leaves behind, with why.

Packages are copied as pip installed them: their sources stay readable (torch, numba and
transformers read them at run time), lazily imported modules and data are simply there, and their
licences lie in their ``dist-info``. What is left out is said here, rule by rule.
"""

from __future__ import annotations

import fnmatch
import re
import shutil
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePosixPath

BUILD_ONLY = frozenset(
    {"pip", "setuptools", "wheel", "pyinstaller", "pyinstaller-hooks-contrib", "altgraph"}
)
"""Distributions that make the program and are no part of it."""
FROZEN = frozenset({"pyside6-essentials", "shiboken6"})
"""Distributions of which PyInstaller takes the parts that the window imports; only what tells
about them (names, versions, licences) is copied."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Files that are left out (shell patterns over paths inside ``site-packages``), and why."""

    patterns: tuple[str, ...]
    reason: str


LEFT_OUT = (
    Rule(
        ("torch/test/*", "torch/testing/_internal/*", "*/tests/*", "*/test/*"),
        "the packages' own tests",
    ),
    Rule(
        ("torch/include/*", "torch/share/*", "*.a", "*.lib", "*.pdb", "*.cmake"),
        "to compile against torch",
    ),
    Rule(
        ("*.h", "*.hpp", "*.cuh", "*.pyi", "*.pxd", "*.pyx", "*.cpp", "*.cu", "*.c"),
        "to compile or to type-check against",
    ),
    Rule(
        ("torch/bin/*",),
        "torch's test programs and protoc (torch_shm_manager stays: torch looks for it)",
    ),
    Rule(
        (
            "torch/lib/libtorchbind_test*",
            "torch/lib/libjitbackend_test*",
            "torch/lib/libbackend_with_compiler*",
            "torch/lib/libaoti_custom_ops*",
        ),
        "libraries of torch's tests",
    ),
    Rule(
        (
            "torch/_inductor/kernel/*",
            "torch/_inductor/codegen/cuda/*",
            "torch/_inductor/autoheuristic/*",
        ),
        "torch.compile, which needs a C++ compiler and is not used",
    ),
    Rule(
        ("torch/utils/tensorboard/*", "torch/utils/benchmark/*", "torch/utils/hipify/*"),
        "dashboards, benchmarks and translation to HIP",
    ),
    Rule(("networkx/*", "isympy.py", "share/*"), "graphs of torch.compile, and a shell of sympy"),
    Rule(("hf_xet/*",), "a download protocol: files are fetched by engine/library/downloads"),
    Rule(
        ("qtawesome/fonts/[!p]*", "qtawesome/fonts/p[!h]*"),
        "other icon fonts than Phosphor, under other licences",
    ),
    Rule(("functorch/*", "torchgen/packaged/*"), "torch's own sources of generated code"),
    Rule(
        ("transformers/cli/*", "pypdfium2_cli/*", "huggingface_hub/cli/*"),
        "command lines of the libraries",
    ),
    Rule(("numba/cuda/*",), "numba's compiler for CUDA: kernels for GPUs are Triton's"),
    Rule(("numba/np/ufunc/tbbpool*", "numba/np/ufunc/omppool*"), "thread pools without a use"),
    Rule(("PIL/_avif*", "pillow.libs/libavif*"), "pictures of a kind that no document here has"),
    Rule(("*/__pycache__/*", "*.pyc"), "compiled anew, without times in them"),
    Rule(
        ("bin/*", "../*", "__pycache__/*", "distutils-precedence.pth"), "scripts of the environment"
    ),
)
KEPT = (
    "torch/bin/torch_shm_manager",
    "numba/core/typing/*",
    "torch/testing/_internal/__init__.py",
    "torch/testing/_internal/distributed/*",
    "torch/testing/_internal/common_dtype.py",
    "torch/testing/_internal/logging_tensor.py",
    "numba/tests/support.py",
)
"""What a rule would leave out and something imports."""
LANGUAGES = ("root", "en", "zh")
"""Of Babel's thousand locales: what the window speaks."""


def is_left_out(path: str) -> bool:
    """Whether a file of ``site-packages`` (relative, with slashes) stays behind."""
    if any(fnmatch.fnmatchcase(path, kept) for kept in KEPT):
        return path.endswith(".pyc")
    if fnmatch.fnmatchcase(path, "babel/locale-data/*"):
        return PurePosixPath(path).stem.partition("_")[0] not in LANGUAGES
    return any(fnmatch.fnmatchcase(path, p) for rule in LEFT_OUT for p in rule.patterns)


def bundled(python_folder: Path) -> list[Distribution]:
    """The distributions of an environment that the program takes along, by name."""
    found = {plain_name(d): d for d in distributions(path=[str(site_packages(python_folder))])}
    return [found[name] for name in sorted(found) if name not in BUILD_ONLY]


def plain_name(distribution: Distribution) -> str:
    """A distribution's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", distribution.name).lower()


def copy_packages(python_folder: Path, target: Path) -> int:
    """Copy what the program needs of an environment's packages; the bytes that it takes."""
    source, taken = site_packages(python_folder), 0
    for distribution in bundled(python_folder):
        for path in _wanted(distribution):
            file = target / path
            if not (source / path).is_file() or file.exists():
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / path, file)
            taken += file.stat().st_size
    return taken


def site_packages(python_folder: Path) -> Path:
    """Where an environment of this Python keeps its packages."""
    variables = {"base": str(python_folder), "platbase": str(python_folder)}
    return Path(sysconfig.get_path("purelib", "venv", variables))


def _is_empty(distribution: Distribution) -> bool:
    """Whether the rules leave nothing of a package: then it is not listed in the papers either."""
    files = [PurePosixPath(file).as_posix() for file in distribution.files or []]
    inside = [path for path in files if ".dist-info/" not in path]
    return bool(inside) and all(is_left_out(path) for path in inside)


def _wanted(distribution: Distribution) -> Iterator[str]:
    frozen = plain_name(distribution) in FROZEN
    if not frozen and _is_empty(distribution):
        return
    for file in distribution.files or []:
        path = PurePosixPath(file).as_posix()
        about = ".dist-info/" in path
        if about:
            if not path.endswith(("/RECORD", "/INSTALLER", "/REQUESTED", "/direct_url.json")):
                yield path
        elif not frozen and not is_left_out(path):
            yield path
