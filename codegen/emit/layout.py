"""How generated text is laid out: by ruff, or as the templates give it where ruff is not installed.

What lies in the tree was laid out by the ruff that constraints.txt pins; other versions differ. A package outside the
tree needs no ruff: its manifest says which layout it has, and what is compared with it is given the same.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..library.modules import RUNTIME
from .write import Files, write_new

CONSTRAINTS = RUNTIME.parent / "constraints.txt"
PIN = re.compile(r"^ruff==(\S+)$", re.MULTILINE)
VERSION = re.compile(r"ruff (\d[\w.+-]*)\s")


class OtherLayout(Exception):
    """Text cannot be laid out as what it belongs beside."""


@dataclass(frozen=True)
class Formatter:
    """A ruff that can be run; `layout` names what it makes."""

    path: str
    layout: str  # "ruff 0.17.5"

    def formatted_files(self, files: Files) -> Files:
        """The files with imports sorted, without those that nothing uses, and formatted."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            write_new(root, files)
            common = ("--isolated", "--quiet", "--line-length", "120", ".")
            self._run(root, "check", "--fix", "--select", "I,F401", *common)
            self._run(root, "format", "--config", "format.skip-magic-trailing-comma=true", *common)
            return {name: (root / name).read_text(encoding="utf-8") for name in files}

    def _run(self, root: Path, *arguments: str) -> None:
        """Run it in a folder: in that of the user, packages beside it would be sorted apart."""
        command = [str(Path(self.path).absolute()), *arguments]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", cwd=root)
        if done.returncode:
            message = (done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}").splitlines()
            raise OtherLayout(f"{self.path} {arguments[0]} failed: {message[0]}")


def installed() -> Formatter | None:
    """The ruff beside this Python, else that of PATH; None where there is none that runs."""
    path = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which("ruff")
    if path is None:
        return None
    try:
        done = subprocess.run([path, "--version"], capture_output=True, encoding="utf-8", errors="replace")
    except OSError:
        return None
    match = VERSION.match(done.stdout)
    return Formatter(path, f"ruff {match[1]}") if match and not done.returncode else None


def formatted_files(files: Files, formatter: Formatter | None) -> Files:
    """The files as a formatter lays them out; as they are without one."""
    return files if formatter is None else formatter.formatted_files(files)


def pinned() -> str:
    """The layout of what lies in the tree; empty where no version is pinned."""
    result = PIN.search(CONSTRAINTS.read_text(encoding="utf-8")) if CONSTRAINTS.is_file() else None
    return f"ruff {result[1]}" if result else ""


def layout_of(formatter: Formatter | None) -> str:
    return "" if formatter is None else formatter.layout


def other_layout(what: str, requested: str, formatter: Formatter | None) -> OtherLayout:
    """The error of text that has to be laid out by one ruff where there is another, or none."""
    result = layout_of(formatter) or "none"
    install = f"python -m pip install {requested.replace(' ', '==')}"
    return OtherLayout(f"{what}: expected {requested} to lay it out, found {result}: {install}")
