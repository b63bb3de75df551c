"""The families of ops: the sections of a spec file, each begun by a comment that stands above an entry.

A heading is a line `# ---- Title ----`, or a paragraph of comment between blank lines. The title ends at the first
colon or full stop; what follows it introduces the family. Sections of the same title are one family.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .model import Entry

DASHES = "----"


@dataclass(frozen=True)
class Family:
    """One section of the spec; `slug` names its page."""

    title: str
    introduction: str
    entries: tuple[Entry, ...]

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")


@dataclass(frozen=True)
class Heading:
    """The comment that begins a section, and the line (from 1) of the section's first entry."""

    title: str
    introduction: str
    line: int


def families(path: Path, entries: Sequence[Entry]) -> list[Family]:
    """The families in the order of the file; entries above the first heading are the family `Ops`."""
    found = [Heading("Ops", "", 0), *headings(path.read_text(encoding="utf-8-sig"))]
    ends = [heading.line for heading in found[1:]] + [len(entries) and max(e.where.line for e in entries) + 1]
    members: dict[str, list[Entry]] = {}
    words: dict[str, list[str]] = {}
    for heading, end in zip(found, ends, strict=True):
        members.setdefault(heading.title, []).extend(e for e in entries if heading.line <= e.where.line < end)
        words.setdefault(heading.title, []).append(heading.introduction)
    return [Family(t, " ".join(filter(None, words[t])), tuple(own)) for t, own in members.items() if own]


def headings(text: str) -> Iterator[Heading]:
    """The headings of a spec. A comment close above an entry, without dashes, is about that entry alone."""
    paragraph: list[str] = []
    apart = False  # whether a blank line follows the paragraph
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            paragraph, apart = [*([] if apart else paragraph), line], False
        elif not line.strip():
            apart = True
        else:
            if paragraph and line.startswith("- ") and (apart or any(DASHES in each for each in paragraph)):
                yield heading(paragraph, number)
            paragraph = []


def heading(paragraph: Sequence[str], line: int) -> Heading:
    """The title of a comment and what it says further."""
    first = paragraph[0].strip("#- ")
    if first and DASHES in paragraph[0]:
        title, rest = first, " ".join(each.strip("#- ") for each in paragraph[1:])
    else:
        words = " ".join(each.strip("#- ") for each in paragraph).strip()
        title, _, rest = words.partition(":") if ":" in words.partition(". ")[0] else words.partition(". ")
    rest = rest.strip()
    return Heading(title.strip(" ."), rest[:1].upper() + rest[1:], line)
