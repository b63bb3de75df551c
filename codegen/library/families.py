"""The families of ops: the sections of a spec file, their pages and the modules that are generated for them.

Items `- section: Title` begin them. Sections of the same title are one family.
"""

import keyword
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from ..spec.model import Entry

MAX_TITLE_CHARS = 60  # of a page's name
UNTITLED = "Ops"


@dataclass(frozen=True)
class Family:
    title: str
    introduction: str
    entries: tuple[Entry, ...]
    slug: str


def families(entries: Iterable[Entry]) -> list[Family]:
    members: dict[str, list[Entry]] = {}
    introductions: dict[str, list[str]] = {}
    for entry in entries:
        title, about = (entry.section.title, entry.section.about) if entry.section else (UNTITLED, "")
        members.setdefault(title, []).append(entry)
        introductions.setdefault(title, []).append(about)
    descriptions = {title: " ".join(filter(None, dict.fromkeys(parts))) for title, parts in introductions.items()}
    names = slugs(members)
    return [Family(title, descriptions[title], tuple(own), names[title]) for title, own in members.items()]


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
