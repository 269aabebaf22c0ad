"""Tiny wheels, and a package index on this machine that serves them."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

from engine.library.pip_settings import PipSettings
from engine.library.runtime.variants import Variant, read_variants
from tests.library.file_server import Site

TORCH = {"torch/__init__.py": b"__version__ = '2.13.0'\n", "torch/big.bin": bytes(range(256)) * 64}
CUBLAS = {"nvidia/cublas/lib.so": b"\x7fELF" * 50, "x-1.data/platlib/nvidia/more.py": b"# more\n"}
VARIANT = Variant("cu130", "2.13.0", (), "580.65.06", "7.5", ("torch==2.13.0", "nvidia-cublas>=13"))


def wheel(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def entry(name: str, content: bytes, **more: Any) -> dict[str, Any]:
    """A file of an index, by PEP 691."""
    hashes = {"sha256": hashlib.sha256(content).hexdigest()}
    return {
        "filename": name,
        "url": f"/files/{name}",
        "hashes": hashes,
        "size": len(content),
    } | more


def index(site: Site, project: str, *files: dict[str, Any]) -> None:
    site.files[f"/simple/{project}/"] = json.dumps({"files": files}).encode()


def shop() -> Site:
    """An index that has everything that ``VARIANT`` wants."""
    site = Site()
    torch, cublas = wheel(TORCH), wheel(CUBLAS)
    torch_name, cublas_name = "torch-2.13.0-py3-none-any.whl", "nvidia_cublas-13.1-py3-none-any.whl"
    site.files |= {f"/files/{torch_name}": torch, f"/files/{cublas_name}": cublas}
    index(site, "torch", entry(torch_name, torch))
    index(site, "nvidia-cublas", entry(cublas_name, cublas))
    return site


def settings(site: Site) -> PipSettings:
    return PipSettings(indexes=(f"{site.address}/simple",))


def whole_shop(torch: Mapping[str, bytes]) -> Site:
    """An index that has a stand-in for everything that the real table wants.

    Args:
        torch: the files of what stands in for torch.
    """
    site = Site()
    for wanted in read_variants()[0].wheels:
        name, _, version = wanted.replace(">=", "==").partition("==")
        version = version.partition(",")[0]
        content = wheel(torch if name == "torch" else {f"{name.replace('-', '_')}.py": b""})
        file = f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
        site.files[f"/files/{file}"] = content
        index(site, name, entry(file, content))
    return site
