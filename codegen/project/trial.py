"""Entries of the tree that have changed are verified before anything is written: in a tree of links to this one."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..emit.files import Files, write_new
from ..library.files import plain_bytes
from .project import TREE

REGISTRY = "registry.jsonl"


def changed_ops(root: Path, files: Files) -> list[str]:
    """The ops whose line in the registry is not the one that lies in the generated package."""
    path = root / REGISTRY
    before = set(path.read_text(encoding="utf-8").splitlines()) if path.exists() else set()
    return [json.loads(line)["name"] for line in files[REGISTRY].splitlines() if line not in before]


def is_wrong_in_tree(root: Path, files: Files, names: Sequence[str]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder).resolve()
        for path in TREE.iterdir():
            if path.name not in (root.name, "specgrad"):
                (trial / path.name).symlink_to(path)
        shutil.copytree(TREE / "specgrad", trial / "specgrad", symlinks=True)  # its links lead to the trial's folders
        link_unchanged(root, trial / root.name, files)
        environment = {**os.environ, "PYTHONPATH": str(trial)}
        command = [sys.executable, "-m", "codegen", "verify", *names]
        done = subprocess.run(command, cwd=trial, env=environment, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="")
    return done.returncode != 0


def link_unchanged(root: Path, trial: Path, files: Files) -> None:
    """Lay out the package as `files` have it, with the bytecode of what is only linked: that has not changed."""
    for folder in {(trial / name).parent for name in files}:
        folder.mkdir(parents=True, exist_ok=True)
        compiled = root / folder.relative_to(trial) / "__pycache__"
        if compiled.is_dir():
            shutil.copytree(compiled, folder / compiled.name)
    for name, text in files.items():
        if plain_bytes(root / name) == text.encode():
            (trial / name).symlink_to(root / name)
        else:
            write_new(trial, {name: text})
