"""The layout of generated text: what is compared has that of what it is compared with, or nothing is said of it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from specgrad.codegen.__main__ import main
from specgrad.codegen.emit.files import installed, pinned
from specgrad.codegen.library.files import MANIFEST
from tests.codegen.mistakes import entry_source
from tests.scripts import run_by_sh

Run = Callable[..., tuple[int, list[str], list[str]]]
Ruff = Callable[[str | None], None]


@pytest.fixture
def ruff(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ruff:
    """ruff(None): none is installed; ruff("0.1"): one of that version, which changes nothing but says so."""

    run_by_sh(tmp_path / "bin", monkeypatch)

    def choose(version: str | None) -> None:
        path = tmp_path / "bin" / f"ruff-{version}"
        if version is not None:
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"echo 'ruff {version}'\n", encoding="utf-8")
        found = None if version is None else str(path)
        monkeypatch.setattr(shutil, "which", lambda *_, **__: found)

    return choose


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command; returns the status and the lines of both outputs."""

    def command(*argv: str) -> tuple[int, list[str], list[str]]:
        status = main(list(argv))
        out, error = capsys.readouterr()
        return status, out.splitlines(), error.splitlines()

    return command


@pytest.fixture
def package(tmp_path: Path, run: Run) -> Callable[..., tuple[int, list[str], list[str]]]:
    """Generates or compares a package outside the tree, without the numerical checks."""
    spec = tmp_path / "ops.yaml"
    spec.write_text(entry_source("my_square", "square"), encoding="utf-8")
    return lambda *options: run(str(spec), "--out", str(tmp_path / "ops"), "--no-verify", *options)


@pytest.mark.parametrize("version", [None, "0.1.0"])
def test_without_the_pinned_ruff_the_tree_is_neither_compared_nor_written(
    version: str | None, ruff: Ruff, run: Run
) -> None:
    """One line that says which ruff is needed, and a status that is not that of stale files."""
    requested, found = pinned(), "none" if version is None else f"ruff {version}"
    assert requested.startswith("ruff ")
    ruff(version)
    expected = (
        f"expected {requested} to lay it out, found {found}: python -m pip install {requested.replace(' ', '==')}"
    )
    assert run("--check") == (2, [], [f"codegen: generated/ cannot be compared: {expected}"])
    assert run() == (2, [], [f"codegen: generated/: {expected}"])


def test_the_tree_has_the_layout_of_the_ruff_that_is_pinned() -> None:
    """Who runs these tests has it."""
    formatter = installed()
    assert formatter is not None and formatter.layout == pinned()


def test_a_package_outside_the_tree_needs_no_ruff(package: Run, ruff: Ruff, tmp_path: Path) -> None:
    """It is written as the templates give it, which is said, and compared in that layout, with ruff or without."""
    ruff(None)
    status, out, error = package()
    assert (status, error) == (0, [])
    assert out[-1] == "not formatted, which would take ruff; the code works the same"
    compile((tmp_path / "ops" / "ops" / "ops.py").read_text(encoding="utf-8"), "ops.py", "exec")
    assert package("--check") == (0, [], [])
    ruff("0.1.0")
    assert package("--check") == (0, [], [])


def test_a_formatted_package_is_compared_by_the_same_ruff_alone(package: Run, ruff: Ruff, tmp_path: Path) -> None:
    """Its manifest names the version; another one, or none, cannot tell, unless nothing differs."""
    status, out, _ = package()
    formatter = installed()
    assert status == 0 and formatter is not None and not out[-1].startswith("the files are")
    manifest = (tmp_path / "ops" / MANIFEST).read_text(encoding="utf-8")
    assert manifest.splitlines()[0].endswith(f" Laid out by {formatter.layout}.")
    assert package("--check") == (0, [], [])
    for version in (None, "0.1.0"):
        ruff(version)
        status, out, error = package("--check")
        assert (status, out, len(error)) == (2, [], 1)
        assert error[0].startswith(
            f"codegen: ops/ cannot be compared: expected {formatter.layout} to lay it out, found "
        )


@pytest.mark.parametrize("text", ["", "#!/no/such/interpreter\n", f"#!{sys.executable}\nraise SystemExit(3)\n"])
def test_a_ruff_that_does_not_run_is_none(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty file, one whose interpreter is not there, one that fails."""
    (tmp_path / "ruff").write_text(text, encoding="utf-8")
    (tmp_path / "ruff").chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: str(tmp_path / "ruff"))
    assert installed() is None


def test_a_ruff_that_fails_is_one_line(package: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it said first is shown, and nothing is written."""
    path = tmp_path / "bin" / "ruff"
    path.parent.mkdir()
    code = '[ "$1" = --version ] && echo ruff 9.9 && exit\necho no such option >&2\nexit 1\n'
    path.write_text(code, encoding="utf-8")
    run_by_sh(path.parent, monkeypatch)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: str(path))
    assert package() == (2, [], [f"codegen: {path} check failed: no such option"])
    assert not (tmp_path / "ops").exists()
