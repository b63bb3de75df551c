"""The Markdown that MkDocs reads: the pages of the tree under their own paths, so that links hold on GitHub and here.

A page is taken if the navigation names it or another page links to it; so is any other file that a page links to.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

LINK = re.compile(r"\]\(([^)\s]+)\)")
SPAN = re.compile(r"`[^`\n]+`")  # code in a line, as sum[k](x), which is no link
SOURCE = re.compile(r'src="([^"]+)"')
FENCE = re.compile(r"^(```\w+) \w+$", re.MULTILINE)  # ```yaml rows: the second word is for tests
SPEC_LINK = re.compile(r"\]\([./]*/derivatives\.yaml#([^)]+)\)")


@dataclass(frozen=True)
class Pages:
    """Texts of Markdown pages, and the other files that they show, by path below the root."""

    sources: dict[str, str]
    files: set[str]


def linked(text: str, page: str, root: Path) -> Iterator[str]:
    """The paths below the root that a page links to."""
    for target in LINK.findall(SPAN.sub("", text)) + SOURCE.findall(text):
        path = unquote(target.partition("#")[0])
        if path and "://" not in target and not target.startswith("mailto:"):
            resolved = (root / page).parent.joinpath(path).resolve()
            if resolved.is_relative_to(root):
                yield resolved.relative_to(root).as_posix()


def closure(seeds: Iterable[str], root: Path) -> Pages:
    """The pages that can be reached from the seeds by links, and the files that they link to."""
    sources: dict[str, str] = {}
    files: set[str] = set()
    waiting = list(seeds)
    while waiting:
        name = waiting.pop()
        if name in sources or name in files or not (root / name).is_file():
            continue
        if name.endswith(".md"):
            sources[name] = (root / name).read_text(encoding="utf-8")
            waiting.extend(linked(sources[name], name, root))
        else:
            files.add(name)
    return Pages(sources, files)


def for_mkdocs(text: str, page: str, sections: Mapping[str, str]) -> str:
    """A page as MkDocs takes it; a link to an entry of the spec leads to its lines on the page of its section."""
    up = "../" * page.count("/")

    def spec_link(match: re.Match[str]) -> str:
        name = unquote(match[1])
        return f"]({up}{sections[name]}#{name})"

    return SPEC_LINK.sub(spec_link, FENCE.sub(r"\1", text))
