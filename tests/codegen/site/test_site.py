"""The documentation site: built without a warning, light pages, links that lead somewhere, and a search that finds."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from specgrad.codegen.library.bases import SPEC
from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.site.command import site_command
from specgrad.codegen.site.docstrings import markdown
from specgrad.codegen.site.spec_pages import spec_pages
from specgrad.codegen.site.stage import closure, for_mkdocs
from tests.codegen.site.browser import CHROMIUM, look_at
from tests.repository import ROOT

MAX_PAGE = 300_000  # bytes
SEEN = ("index.html", "docs/ops/activation.html", "docs/speed.html", "docs/api/specgrad.nn.Linear.html")
FOUND = {"logsumexp": "docs/ops/reduction.html", "DataLoader": "docs/api/specgrad.utils.data.DataLoader.html"}


class Links(HTMLParser):
    """What a page links to, the pictures that it shows, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.anchors |= {value for key in ("id", "name") if (value := values.get(key))}
        self.targets += [value for key in ("href", "src") if (value := values.get(key))]


def test_the_site(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """All of it, as `make docs` builds it; pages are looked at in Chromium where that is installed."""
    pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")
    assert site_command(["--out", str(tmp_path)]) == 0, capfd.readouterr().err
    assert "WARNING" not in capfd.readouterr().err
    site = tmp_path / "html"
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if path.name != "404.html"}
    assert len(pages) > 500
    assert {path.name: size for path in pages if (size := path.stat().st_size) > MAX_PAGE} == {}
    assert [f"{path.relative_to(site)}: {target}" for path in pages for target in _broken(path, pages)] == []
    assert [
        link for page in pages.values() for link in page.targets if re.match(r"(?:https?:)?//\S+\.(?:js|css)", link)
    ] == []
    if CHROMIUM:
        _look(site)


def _broken(path: Path, pages: dict[Path, Links]) -> list[str]:
    broken = []
    for target in pages[path].targets:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        there = unquote(parts.fragment) in pages[file].anchors if file in pages else file.exists()
        broken += [] if there else [target]
    return broken


def _look(site: Path) -> None:
    report = look_at(site, SEEN, list(FOUND))
    assert {page: seen["broken"] for page, seen in report["pages"].items()} == {page: [] for page in SEEN}
    assert [report["pages"][page]["images"] for page in SEEN[:2]] == [2, report["pages"][SEEN[1]]["images"]]
    assert report["pages"][SEEN[1]]["images"] > 10 and "specgrad.nn.Linear" in report["pages"][SEEN[3]]["title"]
    assert len(set(report["backgrounds"])) == 2  # light and dark
    for word, page in FOUND.items():
        assert any(f"/{page}" in link for link in report["found"][word][:8]), (word, report["found"][word])


def test_pages_are_those_that_links_reach(tmp_path: Path) -> None:
    """Pages and pictures, not what is outside the folder or on the web."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "a.md").write_text("[b](docs/b.md#x) [out](../c.md) [web](https://example.org/d.md) [none](e.md)")
    (tmp_path / "docs" / "b.md").write_text('![picture](p.svg) <img src="q.svg"> [back](../a.md)')
    for name in ("p.svg", "q.svg", "unused.svg", "unused.md"):
        (tmp_path / "docs" / name).write_text("")
    pages = closure(["a.md"], tmp_path)
    assert (set(pages.sources), pages.files) == ({"a.md", "docs/b.md"}, {"docs/p.svg", "docs/q.svg"})


def test_links_to_entries_lead_to_their_lines() -> None:
    """The page of the section that has the entry; and blocks of code have one word for their language."""
    text = "[`add`](../../derivatives.yaml#add.Tensor)\n```yaml rows\na: 1\n```\n"
    expected = "[`add`](../../docs/spec/arithmetic.md#add.Tensor)\n```yaml\na: 1\n```\n"
    assert for_mkdocs(text, "docs/ops/arithmetic.md", {"add.Tensor": "docs/spec/arithmetic.md"}) == expected


def test_every_entry_of_the_spec_has_an_anchor_at_its_line() -> None:
    """The heading is the entry's name, the line below names the line of the file, and the block is its text."""
    entries = load_spec(SPEC, SPEC.name)[0].entries
    sources, page_of = spec_pages(SPEC, entries)
    lines = (ROOT / "derivatives.yaml").read_text(encoding="utf-8").splitlines()
    for entry in entries:
        first = lines[entry.where.line - 1]
        head = f"## {entry.name} {{ #{entry.name} }}\n\n{SPEC.name}:{entry.where.line}\n\n```yaml\n{first}\n"
        assert head in sources[page_of[entry.name]]


DOCSTRING = """x_i * y, of `a_b` <tag>.

Formula: y = x A^T

Args:
    first: a number,
        or two.
    *others: more.

Returns: a [list].

Example:
    >>> 1 + 1
    2
"""
MARKDOWN = r"""x\_i \* y, of `a_b` \<tag\>.

**Formula**

```text
y = x A^T
```

**Args**

- `first`: a number, or two.
- `*others`: more.

**Returns**

- a \[list\].

**Example**

```pycon
>>> 1 + 1
2
```"""


def test_docstrings_as_markdown() -> None:
    """Sections have titles, arguments are lists, examples and formulas code; nothing else has a meaning."""
    assert markdown(DOCSTRING) == MARKDOWN
