"""The text of a spec file, if it is one: of bounded size, in UTF-8, without characters that cannot be seen."""

from __future__ import annotations

import stat
from pathlib import Path

from .nodes import MOST_BYTES


class Unreadable(Exception):
    """A file that is no spec, and the line and column that show it."""

    def __init__(self, problem: str, before: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.place = (before.count("\n") + 1, len(before) - before.rfind("\n"))


def read_text(path: Path) -> str:
    """The text, with one kind of line end.

    Raises:
        OSError: the file cannot be opened.
        Unreadable: it is no text.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable(f"expected a file, found a {'folder' if stat.S_ISDIR(status.st_mode) else 'special file'}")
    if status.st_size > MOST_BYTES:
        raise Unreadable(f"expected a file of at most {MOST_BYTES:,} bytes, found {status.st_size:,}")
    text = _decoded(path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n")
    if not text.translate({10: None, 9: None}).isprintable():
        offset = next(i for i, c in enumerate(text) if not c.isprintable() and c not in "\n\t")
        raise Unreadable(f"expected characters that can be seen, found U+{ord(text[offset]):04X}", text[:offset])
    return text


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig", errors="replace")
        message = f"expected text in UTF-8, found the byte 0x{content[error.start]:02X}"
        raise Unreadable(message, before) from None
