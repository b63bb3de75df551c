"""The pages on ops: families from the spec's headings, a section per function, links that lead somewhere."""

from __future__ import annotations

import re
from functools import reduce
from pathlib import Path

import pytest

import specgrad
from specgrad.codegen.__main__ import main
from specgrad.codegen.emit.files import Files
from specgrad.codegen.emit.render import Renderer, Target
from specgrad.codegen.library.bases import SPEC
from specgrad.codegen.library.families import families
from specgrad.codegen.pages.pages import pages
from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.spec.model import Entry
from tests.codegen.mistakes import entry_source
from tests.repository import ROOT

DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)#]*)(?:#([^)]*))?\)")


@pytest.fixture(scope="module")
def entries() -> tuple[Entry, ...]:
    return load_spec(SPEC, SPEC.name)[0].entries


@pytest.fixture(scope="module")
def files() -> Files:
    return pages(Renderer(load_spec(SPEC, SPEC.name)[0], Target()), SPEC)


def test_every_entry_is_in_one_family(entries: tuple[Entry, ...]) -> None:
    """No entry stands above the first section, and titles are short enough for a table."""
    found = families(entries)
    assert sorted(e.name for family in found for e in family.entries) == sorted(e.name for e in entries)
    assert all(family.title != "Ops" and len(family.title) < 60 for family in found)


def test_every_entry_has_its_section(files: Files, entries: tuple[Entry, ...]) -> None:
    """With schema, computation and dtypes, and the formula of every gradient."""
    text = "".join(files.values())
    assert [e.name for e in entries if f"[`{e.schema.text}`](../../{e.where.file}#{e.name})" not in text] == []
    formulas = [f.text for e in entries for f in e.gradients.values() if f.tree is not None]
    assert [formula for formula in formulas if f"`{' '.join(formula.split())}`" not in text] == []


def test_links_lead_somewhere(files: Files) -> None:
    """Pages, headings on them and pictures that a page links to are there."""
    for name, text in files.items():
        for target, anchor in LINK.findall(re.sub("`[^`]*`", "", text)):
            path = (DOCS / name).parent / target
            assert path.exists(), f"{name}: {target}"
            if path.suffix == ".md" and anchor:
                headings = re.findall(r"^## (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
                slugs = {heading.lower().replace(" ", "-") for heading in headings}
                assert anchor.lower() in slugs, f"{name}: {target}#{anchor}"


def test_calls_are_those_that_programs_make(files: Files) -> None:
    """Functions and methods that a section names exist; what only formulas call is not in the index."""
    missing = []
    for text in files.values():
        for name, section in re.findall(r"^## (\w+)$(.*?)^- schema", text, flags=re.M | re.S):
            calls = re.findall(r"`(sg|Tensor)\.([\w.]+)", section.partition("- argument")[0])
            indexed = f"[{name}](" in files["ops.md"]
            assert indexed == bool(calls and not name.startswith("_")), name
            roots = {"sg": specgrad, "Tensor": specgrad.Tensor}
            missing += [path for root, path in calls if indexed and not _has(roots[root], path)]
    assert missing == []


def _has(root: object, path: str) -> bool:
    try:
        reduce(getattr, path.split("."), root)
    except AttributeError:
        return False
    return True


SAYS = [
    ("atan2", "- saved: `other`; `self`"),
    ("mul", "`other` where `self` requires grad"),
    ("relu", "Where there are two one-sided derivatives the gradient is the smaller"),
    ("log1p", "- domain: `self` in ["),
    ("tanh", "![tanh and its derivative](../pictures/ops/tanh.svg)"),
    ("transpose", "- computed: as a view by `transpose` of runtime/tensor/view_shapes.py"),
    ("matmul", "- gradient: through the ops that it is made of"),
    ("clamp", "with `min="),
    ("max", "- forward: the tangents at the indices that the op chose"),
    ("cumsum", "- vmap: `along`: "),
]


@pytest.mark.parametrize(("op", "slot_values"), SAYS)
def test_sections_say(files: Files, op: str, slot_values: str) -> None:
    """What the page says of single ops."""
    (section,) = [part for t in files.values() for part in re.split(r"^(?=## )", t, flags=re.M) if f"## {op}\n" in part]
    assert slot_values in section


def test_a_spec_outside_the_tree_has_one_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """REFERENCE.md in its package, with pictures beside it."""
    spec = tmp_path / "ops.yaml"
    spec.write_text("# Powers: of x.\n\n" + entry_source("my_square", "square"), encoding="utf-8")
    assert main([str(spec), "--out", str(tmp_path / "ops"), "--no-verify"]) == 0, capsys.readouterr().err
    text = (tmp_path / "ops" / "REFERENCE.md").read_text(encoding="utf-8")
    assert "## my_square\n" in text and "](../ops.yaml#my_square)" in text and "](pictures/my_square.svg)" in text
