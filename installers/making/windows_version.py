"""What Windows shows of an executable in its properties and task list, as PyInstaller reads it."""

from __future__ import annotations

from installers.making.version import Version

_ENGLISH, _UNICODE = 0x0409, 1200  # language and code page of the texts


def version_info(version: Version) -> str:
    """Return the text of PyInstaller's version file: an expression of its own classes."""
    texts = {
        "CompanyName": "The Inkstone project",
        "FileDescription": "Inkstone",
        "FileVersion": version.text,
        "LegalCopyright": "Apache License 2.0",
        "ProductName": "Inkstone",
        "ProductVersion": version.text,
    }
    told = ", ".join(f"StringStruct({name!r}, {text!r})" for name, text in texts.items())
    table = f"StringTable('{_ENGLISH:04X}{_UNICODE:04X}', [{told}])"
    fixed = f"FixedFileInfo(filevers={version.numbers}, prodvers={version.numbers})"
    translation = f"VarFileInfo([VarStruct('Translation', [{_ENGLISH}, {_UNICODE}])])"
    return f"VSVersionInfo(ffi={fixed}, kids=[StringFileInfo([{table}]), {translation}])\n"
