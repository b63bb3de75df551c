"""The families of ops: the sections of a spec file, their pages and the modules that are generated for them.

Items `- section: Title` begin them. In a spec without any, comments do: a line `# ---- Title ----`, a box of such
lines around a text, or else a paragraph of comment above an entry, between blank lines, whose title ends at the first
colon or full stop. Sections of the same title are one family.
"""

import keyword
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..spec.model import Entry

RULE = re.compile(r"#\s*-{4,}\s*(.*?)[\s-]*")  # `# ---- Title ----`, or a line of dashes alone
MAX_TITLE_CHARS = 60  # of a title in a paragraph, and of a page's name
UNTITLED = "Ops"


@dataclass(frozen=True)
class Family:
    title: str
    introduction: str
    entries: tuple[Entry, ...]
    slug: str


@dataclass(frozen=True)
class Heading:
    """The comment that begins a section, and the line (from 1) of the section's first entry."""

    title: str
    introduction: str
    line: int


def families(path: Path, entries: Sequence[Entry]) -> list[Family]:
    in_comments = all(entry.section is None for entry in entries)
    parts = _below_comments(path, entries) if in_comments else _in_sections(entries)
    members: dict[str, list[Entry]] = {UNTITLED: []}
    comments: dict[str, list[str]] = {UNTITLED: []}
    for title, introduction, own in parts:
        members.setdefault(title, []).extend(own)
        comments.setdefault(title, []).append(introduction)
    results = {title: own for title, own in members.items() if own}
    names = slugs(results)
    return [
        Family(t, " ".join(filter(None, dict.fromkeys(comments[t]))), tuple(own), names[t])
        for t, own in results.items()
    ]


def modules(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    titles: dict[str, str] = {}  # of the section that begins a function
    members: dict[str, list[Entry]] = {}
    for entry in entries:
        title = titles.setdefault(entry.schema.name, entry.section.title if entry.section else UNTITLED)
        members.setdefault(title, []).append(entry)
    members = members or {UNTITLED: []}
    return {_identifier(name): members[title] for title, name in slugs(members).items()}


def _identifier(slug: str) -> str:
    name = slug.replace("-", "_")
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"family_{name}"


def _in_sections(entries: Iterable[Entry]) -> Iterator[tuple[str, str, list[Entry]]]:
    for entry in entries:
        section = entry.section
        yield (UNTITLED, "", [entry]) if section is None else (section.title, section.about, [entry])


def _below_comments(path: Path, entries: Sequence[Entry]) -> Iterator[tuple[str, str, list[Entry]]]:
    matches = [Heading(UNTITLED, "", 0), *headings(path.read_text(encoding="utf-8-sig"))]
    ends = [heading.line for heading in matches[1:]] + [max([e.where.line for e in entries], default=0) + 1]
    for heading, end in zip(matches, ends, strict=True):
        own = [e for e in entries if heading.line <= e.where.line < end]
        yield heading.title, heading.introduction, own


def slugs(titles: Iterable[str]) -> dict[str, str]:
    results: dict[str, str] = {}
    for title in titles:
        comments = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", title).casefold())
        name = "-".join(comments)[:MAX_TITLE_CHARS].strip("-") or "section"
        number = next(n for n in range(1, len(results) + 2) if _numbered(name, n) not in results.values())
        results[title] = _numbered(name, number)
    return results


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"


def headings(text: str) -> Iterator[Heading]:
    paragraphs: list[list[str]] = []
    is_paragraph_start, at_top = (
        True,
        True,
    )  # whether the next comment begins a paragraph; whether no entry has come yet
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            paragraphs = [*paragraphs, [line]] if is_paragraph_start else [*paragraphs[:-1], [*paragraphs[-1], line]]
            is_paragraph_start = False
        elif not line.strip():
            is_paragraph_start = True
        else:
            if line.startswith("- "):
                # close above an entry: about that entry alone
                standing = paragraphs if is_paragraph_start else paragraphs[:-1]
                yield from (Heading(*comments, number) for comments in _titles(paragraphs, standing, at_top))
                at_top = False
            paragraphs, is_paragraph_start = [], True


Paragraphs = Sequence[Sequence[str]]


def _titles(paragraphs: Paragraphs, standing: Paragraphs, at_top: bool) -> list[tuple[str, str]]:
    """Titles and introductions in the comments above an entry; those without dashes are among the `standing` ones.

    Of these the first counts, but for one that is at the top of the file and so is about the file.
    """
    captions = [comments for paragraph in paragraphs for comments in _captions(paragraph)]
    if captions:
        return captions
    plain = [(t, text) for t, text in map(_sentence, standing) if 0 < len(t) <= MAX_TITLE_CHARS and not t[0].islower()]
    return plain[1:2] if at_top and len(plain) > 1 else plain[:1]


def _captions(paragraph: Sequence[str]) -> Iterator[tuple[str, str]]:
    rules = {i: match[1] for i, line in enumerate(paragraph) if (match := RULE.fullmatch(line))}
    titled = [i for i, title in rules.items() if title]
    for i, end in zip(titled, [*titled[1:], len(paragraph)], strict=False):
        yield rules[i].strip(" ."), _capital(_paragraph(paragraph[i + 1 : end]))
    if rules and not titled:
        boxed = _sentence(paragraph[min(rules) :])
        yield from [boxed] if boxed[0] else []


def _sentence(paragraph: Sequence[str]) -> tuple[str, str]:
    comments = _paragraph(paragraph)
    title, _, rest = comments.partition(":") if ":" in comments.partition(". ")[0] else comments.partition(". ")
    return title.strip(" ."), _capital(rest)


def _paragraph(lines: Sequence[str]) -> str:
    return " ".join(" ".join(line.strip("#- ") for line in lines).split())


def _capital(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:]
