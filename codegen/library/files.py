"""The list of what the generator wrote into a folder: it may overwrite and delete that, and nothing else.

`manifest.sha256` names the spec, then lists files as `sha256sum --check` reads them. While files are written it lists
old and new ones together, so that a killed run leaves nothing unknown. One path may therefore have several hashes.
"""

import hashlib
import keyword
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath


class Refused(Exception):
    """Something that is not the generator's is in the way; nothing has been written."""


def kind(path: Path) -> str:
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    kinds = {stat.S_IFDIR: "folder", stat.S_IFREG: "file", stat.S_IFLNK: "link"}
    return kinds.get(stat.S_IFMT(mode), "special file")


def plain_bytes(path: Path) -> bytes | None:
    """The content of a file with the line ends that the generator writes; None where there is no plain file."""
    return path.read_bytes().replace(b"\r\n", b"\n") if kind(path) == "file" else None


def folders_of(name: str) -> Iterator[str]:
    """`a` and `a/b` of `a/b/c.py`."""
    parents = [parent.as_posix() for parent in PurePosixPath(name).parents]
    return (parent for parent in reversed(parents) if parent != ".")


def is_below(root: Path, name: str) -> bool:
    return all(kind(root / folder) == "folder" for folder in folders_of(name)) and kind(root / name) == "file"


def check_importable(root: Path) -> None:
    if not root.name.isidentifier() or keyword.iskeyword(root.name):
        raise Refused(f"{root}: expected a folder that Python can import, a name such as my_ops, found {root.name!r}")


def check_root(root: Path) -> None:
    if root.exists():
        _check_folder(root, "folder" if root.is_dir() else kind(root))
    elif kind(root):
        raise Refused(f"{root}: expected a folder to write to, found a link that leads nowhere")
    else:
        above = next(parent for parent in root.absolute().parents if parent.exists())
        _check_folder(above, "folder" if above.is_dir() else kind(above))


def check_folders(root: Path, names: Iterator[str]) -> None:
    for name in sorted({folder for each in names for folder in folders_of(each)}):
        result = kind(root / name)
        if result:
            _check_folder(root / name, result)


def _check_folder(path: Path, result: str) -> None:
    if result != "folder":
        raise Refused(f"{path}: expected a folder to write to, found a {result}: move it away")
    if not os.access(path, os.W_OK | os.X_OK):
        raise Refused(f"{path}: expected a folder to write to, found one without the permission to")


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
    new = parse(text, Path(MANIFEST))
    names = {*new.hashes, *old.hashes}
    both = {name: new.hashes.get(name, frozenset()) | old.hashes.get(name, frozenset()) for name in names}
    return text.partition("\n")[0] + "\n" + lines(both)


def read_manifest(root: Path) -> Manifest:
    path = root / MANIFEST
    content = plain_bytes(path)
    return Manifest() if content is None else parse(content.decode("utf-8", errors="replace"), path)


def parse(text: str, path: Path) -> Manifest:
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
