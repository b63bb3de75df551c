"""Programs that tests write: they are run by a shell, as nothing in the folder may be executable by itself."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest


def run_by_sh(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `subprocess.run` give what lies in a folder to /bin/sh: its file system may be mounted noexec."""
    run = subprocess.run

    def by_sh(command: Any, *given: Any, **options: Any) -> Any:
        is_script = isinstance(command, list) and folder in Path(command[0]).parents
        return run(["/bin/sh", *command] if is_script else command, *given, **options)

    monkeypatch.setattr(subprocess, "run", by_sh)
