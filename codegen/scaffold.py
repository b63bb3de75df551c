"""`python -m codegen new NAME [FOLDER]`: a package of a user's ops, ready to test, build and publish."""

from __future__ import annotations

from pathlib import Path


def new_command(name: str, folder: Path) -> int:
    """Not yet."""
    raise NotImplementedError(name, folder)
