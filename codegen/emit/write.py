"""Putting rendered files on disk: only where they changed, each at once, and only what is the generator's."""

from __future__ import annotations

import difflib
import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..library.manifest import MANIFEST, Manifest, merge_manifest, parse, read_manifest
from ..library.ownership import Refused, check_folders, check_root, folders_of, is_below, kind, plain_bytes

Files = dict[str, str]  # path below the output folder -> text
COMPILED = (".pyc", ".nbi", ".nbc")  # by Python and by numba
PART = re.compile(r"\.specgrad-[0-9a-f]{16}\.part")  # a file that is being written


def write_new(root: Path, files: Files) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())


@dataclass(frozen=True)
class Plan:
    """The changes that a run is going to make to a folder; making the plan has shown that nothing is in the way."""

    root: Path
    files: Files  # the manifest included
    old: Manifest
    changed: tuple[str, ...]
    gone: tuple[str, ...]  # written earlier, no longer produced
    retained: tuple[str, ...]  # no longer produced, but changed since they were written

    def carry_out(self) -> None:
        """Write and delete; a run that is killed here leaves a folder that the next run completes."""
        self.root.mkdir(parents=True, exist_ok=True)
        self._clear_parts()
        if not self.changed and not self.gone:
            return
        replace(self.root, MANIFEST, merge_manifest(self.files[MANIFEST], self.old))
        for name in self.changed:
            if name != MANIFEST:
                replace(self.root, name, self.files[name])
        for name in self.gone:
            remove(self.root, name)
        replace(self.root, MANIFEST, self.files[MANIFEST])

    def _clear_parts(self) -> None:
        for entry in list(os.scandir(self.root)):
            if PART.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                os.unlink(entry.path)


def plan(root: Path, files: Files) -> Plan:
    """The changes by which a folder comes to hold `files`, of which one is the manifest.

    Raises:
        Refused: what is not the generator's is in the way.
    """
    check_root(root)
    old = read_manifest(root)
    new = parse(files[MANIFEST], root / MANIFEST)
    if old.spec and old.spec != new.spec:
        message = f"expected the output of {new.spec}, found that of {old.spec}: give each spec a folder of its own"
        raise Refused(f"{root / MANIFEST}:1:1: {message}")
    check_folders(root, iter(files))
    before = {name: _content(root, name, files[name], old) for name in files}
    changed = tuple(name for name, text in files.items() if before[name] != text.encode())
    left = orphans(root, files, old)
    gone = tuple(name for name in left if old.has_written(name, plain_bytes(root / name) or b""))
    return Plan(root, files, old, changed, gone, tuple(name for name in left if name not in gone))


def _content(root: Path, name: str, text: str, old: Manifest) -> bytes | None:
    """The content of a file as it is now; refused where it is not the generator's and would change."""
    result, path = kind(root / name), root / name
    if result not in ("", "file"):
        raise Refused(f"{path}: expected a file to write, found a {result}: move it away")
    content = plain_bytes(path)
    if content is not None and content != text.encode() and not old.owns(name) and name != MANIFEST:
        what = f"a file that {MANIFEST} lists" if old.hashes else "none, or one that the generator wrote"
        raise Refused(f"{path}: expected {what}, found another: move it away, or choose another folder")
    return content


def orphans(root: Path, files: Files, old: Manifest) -> list[str]:
    """The files that the manifest lists and that are no longer produced; what lies behind a link is not there."""
    return sorted(name for name in old.hashes if name not in files and is_below(root, name))


def replace(root: Path, name: str, text: str) -> None:
    """Write a file at once: whoever looks finds the old one or the new one whole, and so does whoever kills us."""
    path, part = root / name, root / f".specgrad-{secrets.token_hex(8)}.part"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(part, "xb") as file:
            file.write(text.encode())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def remove(root: Path, name: str) -> None:
    """Delete a file, what Python and numba compiled from it, and the folders that this leaves empty."""
    path = root / name
    path.unlink(missing_ok=True)
    cache = path.parent / "__pycache__"
    if kind(cache) == "folder":
        for compiled in list(cache.iterdir()):
            ours = compiled.name.startswith(f"{path.stem}.") and compiled.suffix in COMPILED
            if ours and kind(compiled) == "file":
                compiled.unlink(missing_ok=True)
    folders = [root / folder for folder in folders_of(name)]
    with suppress(OSError):  # one is not empty, or not there
        for folder in (cache, *reversed(folders)):
            if folder != cache or kind(cache):
                folder.rmdir()


def differences(root: Path, files: Files) -> list[str]:
    """The lines of a unified diff from what is on disk to what would be written."""
    lines: list[str] = []
    for name, text in sorted(files.items()):
        old = (plain_bytes(root / name) or b"").decode("utf-8", errors="replace").splitlines(keepends=True)
        new = text.splitlines(keepends=True)
        lines += difflib.unified_diff(old, new, f"{root.name}/{name}", f"{root.name}/{name} (rendered)")
    lines += [f"orphan: {root / name}\n" for name in orphans(root, files, read_manifest(root))]
    return lines
