"""The pages of the spec: a section each, every entry under its name, with the number of its line."""

from collections.abc import Sequence
from pathlib import Path

from ..library.families import families
from ..pages.statistics import own_lines
from ..spec.model import Entry

FOLDER = "docs/spec"
UNSEARCHED = "---\nsearch: {exclude: true}\n---\n"  # the page of the op has its words


def spec_pages(path: Path, entries: Sequence[Entry]) -> tuple[dict[str, str], dict[str, str]]:
    """Texts by page, and the page of every entry."""
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    starts = sorted(entry.where.line for entry in entries)
    ends = dict(zip(starts, [*starts[1:], len(lines) + 1], strict=True))
    sources, page_of = {}, {}
    for family in families(entries):
        page = f"{FOLDER}/{family.slug}.md"
        parts = [f"{UNSEARCHED}\n# {family.title} in {path.name}\n"]
        for entry in family.entries:
            first = entry.where.line
            block = "\n".join(own_lines(lines[first - 1 : ends[first] - 1])).rstrip()
            parts.append(f"## {entry.name} {{ #{entry.name} }}\n\n{path.name}:{first}\n\n```yaml\n{block}\n```\n")
            page_of[entry.name] = page
        sources[page] = "\n".join(parts)
    return sources, page_of
