"""Whether the generator may write to a path on disk: links are never followed."""

from __future__ import annotations

import keyword
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath


class Refused(Exception):
    """Something that is not the generator's is in the way; nothing has been written."""


def kind(path: Path) -> str:
    """`folder`, `file`, `link`, `special file`, or nothing where there is none."""
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
    """A folder that can be written to, or a place where one can be made."""
    if root.exists():
        _check_folder(root, "folder" if root.is_dir() else kind(root))
    elif kind(root):
        raise Refused(f"{root}: expected a folder to write to, found a link that leads nowhere")
    else:
        above = next(parent for parent in root.absolute().parents if parent.exists())
        _check_folder(above, "folder" if above.is_dir() else kind(above))


def check_folders(root: Path, names: Iterator[str]) -> None:
    """The folders of files below the root: plain ones that can be written to, or none yet."""
    for name in sorted({folder for each in names for folder in folders_of(each)}):
        result = kind(root / name)
        if result:
            _check_folder(root / name, result)


def _check_folder(path: Path, result: str) -> None:
    if result != "folder":
        raise Refused(f"{path}: expected a folder to write to, found a {result}: move it away")
    if not os.access(path, os.W_OK | os.X_OK):
        raise Refused(f"{path}: expected a folder to write to, found one without the permission to")
