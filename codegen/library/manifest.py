"""The list of what the generator wrote into a folder: it may overwrite and delete what stands there, and nothing else.

`manifest.sha256` has a title, which names the spec, and below it a line for each file, its hash and its path, as
`sha256sum --check` reads them. While files are written it lists the old ones and the new ones together, so a run that
was killed leaves nothing that the next one does not know. One path may therefore have several hashes.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from .ownership import Refused, plain_bytes

MANIFEST = "manifest.sha256"
TITLE = "# What `python -m {}` wrote from {}. Run it again rather than edit these files.\n"
FORMATTED_BY = " Laid out by {}.\n"
TITLE_LINE = re.compile(
    r"# What `python -m [\w. ]+` wrote from (.+?)\. Run it again rather than edit these files\."
    r"(?: Laid out by (ruff [\w.+-]+)\.)?"
)
LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")
PART = r"[^/\\:\x00-\x1f]+"  # of a path: no way out of the folder, on no system
PATH = re.compile(rf"(?!\.{{1,2}}(/|$)){PART}(/(?!\.{{1,2}}(/|$)){PART})*")


@dataclass(frozen=True)
class Manifest:
    """The spec that a folder was written from, and the hashes that each file may have."""

    spec: str = ""
    hashes: dict[str, frozenset[str]] = field(default_factory=dict)
    layout: str = ""  # the formatter, where it is not one that is pinned elsewhere

    def owns(self, name: str) -> bool:
        return name in self.hashes

    def has_written(self, name: str, content: bytes) -> bool:
        return digest(content) in self.hashes.get(name, ())


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def title(command: str, spec: str, layout: str = "") -> str:
    return TITLE.format(command, spec).rstrip("\n") + (FORMATTED_BY.format(layout) if layout else "\n")


def listed(files: dict[str, str], command: str, spec: str, layout: str = "") -> dict[str, str]:
    hashes = {name: frozenset((digest(text.encode()),)) for name, text in files.items()}
    return files | {MANIFEST: title(command, spec, layout) + lines(hashes)}


def lines(hashes: dict[str, frozenset[str]]) -> str:
    return "".join(f"{each}  {name}\n" for name in sorted(hashes) for each in sorted(hashes[name]))


def merge_manifest(text: str, old: Manifest) -> str:
    """A manifest's text that lists also what an older one does."""
    new = parse(text, Path(MANIFEST))
    names = {*new.hashes, *old.hashes}
    both = {name: new.hashes.get(name, frozenset()) | old.hashes.get(name, frozenset()) for name in names}
    return text.partition("\n")[0] + "\n" + lines(both)


def read_manifest(root: Path) -> Manifest:
    """The manifest of a folder; an empty one where there is none.

    Raises:
        Refused: a file of that name is none that the generator wrote.
    """
    path = root / MANIFEST
    content = plain_bytes(path)
    return Manifest() if content is None else parse(content.decode("utf-8", errors="replace"), path)


def parse(text: str, path: Path) -> Manifest:
    """The manifest in a text, which has to have the form that `listed` gives it."""
    first, *rest = text.splitlines() or [""]
    result = TITLE_LINE.fullmatch(first)
    if not result:
        raise Refused(f"{path}:1:1: expected the first line of a manifest of the generator: {TAMPERED}")
    hashes: dict[str, frozenset[str]] = {}
    for number, line in enumerate(rest, 2):
        match = LINE.fullmatch(line)
        if not match or not PATH.fullmatch(match[2]) or match[2] == MANIFEST:
            raise Refused(f"{path}:{number}:1: expected a hash and a path below this folder: {TAMPERED}")
        hashes[match[2]] = hashes.get(match[2], frozenset()) | {match[1]}
    return Manifest(result[1], hashes, result[2] or "")


TAMPERED = "restore this file, or move it away with what the generator wrote beside it"
