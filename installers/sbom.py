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
from uuid import NAMESPACE_URL, uuid5

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from app.about.licences import Part, plain_name
from app.about.version import program_version
from installers.licences import bundled_parts


def component(part: Part) -> Component:
    """One part as CycloneDX says it."""
    is_package = part.folder is not None
    name = plain_name(part.name) if is_package else part.name
    licences = [LicenseFactory().make_from_string(part.licence)] if part.licence else []
    home = [ExternalReference(type=ExternalReferenceType.WEBSITE, url=XsUri(part.home))]
    return Component(
        name=name,
        version=part.version or None,
        type=ComponentType.LIBRARY,
        bom_ref=f"{name}@{part.version}",
        licenses=licences,
        purl=PackageURL("pypi", name=name, version=part.version) if is_package else None,
        external_references=home if part.home else [],
    )


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
