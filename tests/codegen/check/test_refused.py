"""What a spec outside the tree may not say, against the spec in the tree and the functions that there are: each with
its place, the op, the key and a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from specgrad.codegen.library.bases import SPEC, Base, tree_base
from specgrad.codegen.library.reserved_names import ReservedNames, read_reserved
from specgrad.codegen.project.project import TREE, read_outside
from specgrad.codegen.proof.derive import load_spec
from tests.codegen.check.refused import ALL, edited, right_spec

Judge = Callable[[str], list[str]]
DEVICE = re.compile(r"spec\.yaml:\d+:\d+: \w[^\n]*")


@pytest.fixture(scope="module")
def known() -> tuple[tuple[Base, ...], ReservedNames]:
    """The spec in the tree, and the names that generated code uses."""
    base, _ = load_spec(SPEC, SPEC.name)
    return (tree_base(base),), read_reserved(TREE / "generated", base)


@pytest.fixture
def evaluate_mutant(known: tuple[tuple[Base, ...], ReservedNames], tmp_path: Path) -> Judge:
    """What is said of a spec outside the tree; the lines of the tree's own entries, which move, are left out."""

    def problems(text: str) -> list[str]:
        (tmp_path / "spec.yaml").write_text(text, encoding="utf-8")
        found = map(str, read_outside(tmp_path / "spec.yaml", tmp_path / "out", *known)[1])
        return [re.sub(r"(at derivatives\.yaml):\d+:\d+", r"\1", problem) for problem in found]

    return problems


def test_the_entries_are_right(evaluate_mutant: Judge) -> None:
    """Nothing is said of entries in which nothing is wrong."""
    assert evaluate_mutant(right_spec()) == []


@pytest.mark.parametrize(
    ("entry", "right", "wrong", "says"), [row for rows in ALL.values() for row in rows], ids=lambda text: text[:40]
)
def test_an_edit_is_refused_where_it_is(evaluate_mutant: Judge, entry: str, right: str, wrong: str, says: str) -> None:
    """The place, the op, the key and the sentence; whatever else is said of it has a place as well."""
    found = evaluate_mutant(edited(entry, right, wrong))
    assert f"spec.yaml:{says}" in found
    assert all(DEVICE.fullmatch(problem) for problem in found)


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "[]\n"])
def test_an_empty_spec_is_refused_in_one_line(evaluate_mutant: Judge, text: str) -> None:
    """A spec has entries."""
    assert evaluate_mutant(text) == ["spec.yaml:1:1: expected a list of entries, `- name: ...`, found none"]


@pytest.mark.parametrize(
    ("entry", "right", "wrong"),
    [
        ("chosen.Tensor", "where(self > other, self, other)", "chosen(self, 0, True) + other"),
        ("chosen.Tensor", "where(self > other, self, other)", "bend(self, other)"),
        (
            "chosen",
            "self > number if strict else self >= number",
            "(self > number) & ~(self == 1) if strict else self > 0",
        ),
        ("chosen.Tensor", "Tensor self, Tensor other", "Tensor self, Tensor other, *, int more=0"),
        ("bend", "aliases: [bow]", "aliases: [bow, soft_bow]"),
        ("bend", "slope=1.0", "slope=1e308"),
        ("running", "dim=1", "dim=-9223372036854775807 + 9223372036854775806"),
        ("running", "T(3, 4)", "V([inf, -inf])"),
    ],
)
def test_what_looks_like_it_is_not_refused(evaluate_mutant: Judge, entry: str, right: str, wrong: str) -> None:
    """An overload that calls another one, masks of bools, overloads apart by a keyword, numbers at the edge."""
    found = evaluate_mutant(edited(entry, right, wrong))
    assert [problem for problem in found if "nothing reads this argument" not in problem] == []
