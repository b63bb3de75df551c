"""The tutorials do what they say: their blocks run in order, and print what stands below them.

A block that begins with a comment which is a file's name is that file. `text` is what the block above prints, to the
letter. Of `output`, and of what commands of a `console` print, words are the same and numbers near.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.repository import ROOT

FOLDER = ROOT / "docs" / "tutorials"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"(?:#|\{#) ([\w.]+\.\w+)(?: #\})?\n")
VARYING = re.compile(r"\d+ (checks|s)\b")
NUMBER = re.compile(r" *-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
TOLERANCE = 0.3  # of figures after hundreds of steps, which another processor rounds otherwise

PAGES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "index")
ON_PYTORCH = {"digits", "language-model", "physics", "reinforcement-learning", "vae"}


def blocks(page: str) -> list[tuple[str, str]]:
    """The blocks of a page that name a language, and their text."""
    return BLOCK.findall((FOLDER / f"{page}.md").read_text(encoding="utf-8"))


def run_python(text: str, names: dict[str, Any]) -> str:
    """What a block prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(text, names["__name__"], "exec"), names)
    return out.getvalue()


def run_commands(text: str, folder: Path) -> str:
    """The commands of a console, each with what it prints."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    options: dict[str, Any] = {"env": os.environ | {"PATH": path, "PYTHONPATH": str(ROOT)}, "stderr": subprocess.STDOUT}
    commands = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
    printed = (
        subprocess.run(command, shell=True, cwd=folder, text=True, stdout=subprocess.PIPE, **options).stdout
        for command in commands
    )
    return "".join(f"$ {command}\n{shown}" for command, shown in zip(commands, printed, strict=True))


def check_near(printed: str, expected: str) -> None:
    """Equal but for numbers of checks and seconds, roundings of other numbers, and what an ellipsis leaves out."""
    both = f"{printed}\nand not\n{expected}"
    words = re.escape(NUMBER.sub("0", expected).strip()).replace(r"\.\.\.", ".*")
    assert re.fullmatch(words, NUMBER.sub("0", printed).strip(), re.DOTALL), both
    numbers = [[float(number) for number in NUMBER.findall(VARYING.sub("", text))] for text in (printed, expected)]
    for a, b in zip(*numbers, strict=False):
        assert abs(a - b) <= TOLERANCE * max(abs(a), abs(b)) + 0.01, both


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working folder of a page, whose modules are forgotten with it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(tmp_path) in str(getattr(module, "__file__", "")):
            del sys.modules[name]


@pytest.mark.cpu("pages make their own tensors")
@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # PyTorch's forward mode uses it
@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs(page: str, lib: ModuleType, folder: Path) -> None:
    """Every block, in order, in one folder; pages of PyTorch's API with PyTorch too, where it is installed."""
    if lib.__name__ != "specgrad" and page not in ON_PYTORCH:
        return
    if page == "two-processes":
        pytest.importorskip("mpi4py")
    names, printed = {"__name__": page}, ""
    for language, text in blocks(page):
        if file := FILE.match(text):
            (folder / file[1]).write_text(text, encoding="utf-8")
        elif language == "python":
            printed = run_python(text.replace("specgrad", lib.__name__), names)
        elif language == "text":
            assert printed == text
        elif language == "output":
            check_near(printed, text)
        elif language == "console":
            check_near(run_commands(text, folder), text)


def test_the_index_has_a_line_for_each_page() -> None:
    """The links of index.md are the pages there are."""
    links = re.findall(r"\((\S+)\.md\)", (FOLDER / "index.md").read_text(encoding="utf-8"))
    assert sorted(links) == PAGES


def test_300_lines_are_enough() -> None:
    """The page that rebuilds specgrad holds what its title says, training included."""
    lines = [line for language, text in blocks("in-300-lines") if language != "text" for line in text.splitlines()]
    assert 200 < len(lines) <= 300
