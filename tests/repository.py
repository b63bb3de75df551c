"""The root of the repository, and copies: what git knows, and nothing that another process may be writing."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IGNORED = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").split()]


def copy(folder: Path, *names: str) -> None:
    """Copy folders and files of the repository into another folder, links as links."""
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns(*IGNORED))
        else:
            shutil.copy(ROOT / name, folder / name)
