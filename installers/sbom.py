#!/usr/bin/env python3
"""Write the bill of materials (CycloneDX 1.6) of what is bundled.

    python installers/sbom.py OUT.json [--packages FOLDER] [--version TEXT]

Needs ``cyclonedx-python-lib``. ``FOLDER`` is as for licences.py. The same packages give the same
bytes: there is no time and no random number in it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from app.about.licences import Part, plain_name
from engine.version import program_version
from installers.licences import bundled_parts

_AS_PACKAGE = "as the papers of the package that brings it say"


def component(part: Part) -> Component:
    """One part as CycloneDX says it."""
    is_package = part.folder is not None
    name = plain_name(part.name) if is_package else part.name
    licences = [LicenseFactory().make_from_string(part.licence)] if part.licence else []
    home = [ExternalReference(type=ExternalReferenceType.WEBSITE, url=XsUri(part.home))]
    purl = PackageURL("pypi", name=name, version=part.version) if is_package else None
    return Component(
        name=name,
        version=part.version or None,
        type=ComponentType.LIBRARY,
        bom_ref=f"{name}@{part.version}",
        licenses=licences,
        purl=PackageURL.from_string(part.purl) if part.purl else purl,
        external_references=home if part.home else [],
        components=inside(part),
    )


def inside(part: Part) -> list[Component]:
    """What was compiled into a package, where it brings a bill of its own (PEP 770).

    A library that such a bill names without a licence is under what the package's own papers say.
    """
    found: dict[str, Component] = {}
    bills = sorted(part.folder.glob("sboms/*.json")) if part.folder is not None else []
    for file in bills:
        for told in json.loads(file.read_text("utf-8")).get("components", []):
            purl = str(told.get("purl", "")).partition("?")[0]
            if (
                plain_name(str(told.get("name", ""))) == plain_name(part.name)
                or not purl
                or "#" in purl
            ):
                continue
            found[purl] = Component(
                name=str(told["name"]),
                version=str(told.get("version", "")) or None,
                type=ComponentType.LIBRARY,
                bom_ref=f"{plain_name(part.name)}>{purl}",
                licenses=[LicenseFactory().make_from_string(_licence(told) or _AS_PACKAGE)],
                purl=PackageURL.from_string(purl),
            )
    return [found[purl] for purl in sorted(found)]


def _licence(told: dict[str, Any]) -> str:
    """The licence of a component of another bill, "" where it says nothing."""
    named = []
    for choice in told.get("licenses", []):
        kind = choice.get("license", {})
        named.append(str(choice.get("expression") or kind.get("id") or kind.get("name") or ""))
    return " AND ".join(filter(None, named))


def bill(parts: Sequence[Part], version: str) -> str:
    """The bill of a version of Inkstone and its parts, as JSON."""
    whole = Component(
        name="inkstone",
        version=version,
        type=ComponentType.APPLICATION,
        bom_ref=f"inkstone@{version}",
        licenses=[LicenseFactory().make_from_string("Apache-2.0")],
    )
    components = [component(part) for part in parts]
    names = "\n".join(sorted(f"{each.name} {each.version}" for each in components))
    bom = Bom(components=components, serial_number=uuid5(NAMESPACE_URL, f"{version}\n{names}"))
    bom.metadata.component = whole
    bom.register_dependency(whole, components)
    return _without_time(JsonV1Dot6(bom).output_as_string(indent=2))


def _without_time(text: str) -> str:
    """Leave out the moment of writing, which the library always says."""
    said = json.loads(text)
    said["metadata"].pop("timestamp", None)
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(description="Write the bill of materials.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--packages", type=Path, help="the folder with the installed packages")
    parser.add_argument("--version", default=program_version(), help="what the program is called")
    options = parser.parse_args(arguments)
    parts = bundled_parts(options.packages)
    options.out.write_text(bill(parts, options.version), "utf-8")
    print(f"{len(parts)} parts in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
