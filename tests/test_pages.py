"""The documents: a short README, figures that are right, links that lead somewhere, one version everywhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml

import specgrad
from benchmarks.picture import GROUPS_PICTURE, PAGE, groups_picture
from specgrad.codegen.site import figures
from tests.repository import ROOT

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*/README.md")]
LINK = re.compile(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`[^`\n]+`")  # code in a line, as sum[k](x), which is no link


def test_the_readme_is_short() -> None:
    """A first page: what it is, why, install, first steps, and where the rest is."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert max(map(len, text.splitlines())) <= 180


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Files, and headings of pages; a link to an entry of the spec names the entry."""
    text = SPAN.sub("", CODE.sub("", page.read_text(encoding="utf-8")))
    for target in ("".join(groups) for groups in LINK.findall(text)):
        path, _, anchor = unquote(target).partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        file = (page.parent / path).resolve() if path else page
        assert file.exists() and file.is_relative_to(ROOT), target
        if anchor and file.suffix == ".md":
            assert anchor.lower() in _anchors(file), target


def _anchors(page: Path) -> set[str]:
    headings = HEADING.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_figures_are_right() -> None:
    """`python -m codegen statistics --write` puts them right; what is measured is measured again when it is stale."""
    values = figures.all_figures()
    assert [problem for page in figures.pages() for problem in figures.stale(page, values)] == []
    shown = {name for page in figures.pages() for *_, name in figures.NOTE.findall(page.read_text(encoding="utf-8"))}
    assert {"entries", "programs", "speedup", "mutants_found", "import_seconds", "wheel_megabytes"} <= shown


def test_stale_figures_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure of now must be right, that of a measurement may have changed by 2 %; unknown names are an error."""
    monkeypatch.setattr(figures, "TREE", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("1,000<!--a--> 7<!--b-->\n1,000<!--at a--> 900<!--at a--> 1<!--c-->\n", encoding="utf-8")
    assert list(figures.stale(page, {"a": "1,010", "b": "7"})) == [
        "page.md:1: a is 1,010, not 1,000: python -m codegen statistics --write",
        "page.md:2: measured at 900 a, there are 1,010: measure again",
        "page.md:2: there is no figure 'c'",
    ]
    assert figures.current("1,000<!--a--> 900<!--at a-->", {"a": "1,010"}) == "1,010<!--a--> 900<!--at a-->"


def test_the_picture_of_groups_is_that_of_the_table() -> None:
    """`python -m benchmarks.picture` draws it again."""
    assert GROUPS_PICTURE.read_text(encoding="utf-8") == groups_picture(PAGE.read_text(encoding="utf-8"))


def test_one_version() -> None:
    """In the package, its metadata, the citation, the README, and as the changelog's first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {
        "package": specgrad.__version__,
        "citation": _first(r"^version: (\S+)$", "CITATION.cff"),
        "README": _first(r"^Version ([\d.]+),", "README.md"),
        "changelog": _first(r"^## (\d\S+)", "CHANGELOG.md"),
    }
    assert named == dict.fromkeys(named, project["version"])


def test_workflows_and_forms() -> None:
    """Workflows run on the Pythons of the package and call targets of the Makefile; forms have what GitHub asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pythons = [each.rpartition(" ")[2] for each in project["classifiers"] if re.search(r"Python :: 3\.\d+$", each)]
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for path in (ROOT / ".github" / "workflows").iterdir():
        for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values():
            assert job.get("strategy", {"matrix": {"python": pythons}})["matrix"]["python"] == pythons
            commands = [step["run"] for step in job["steps"] if "run" in step]
            assert {name for line in commands for name in re.findall(r"^make ([a-z-]+)", line)} <= set(targets)
    for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"):
        assert {"name", "description", "body"} <= yaml.safe_load(path.read_text(encoding="utf-8")).keys()


def _first(pattern: str, file: str) -> str:
    match = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    assert match is not None, (file, pattern)
    return match[1]
