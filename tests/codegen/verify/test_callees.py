"""Entries that are read when a formula calls them are those that reading all of both specs gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgrad.codegen.library.bases import SPEC
from specgrad.codegen.proof.derive import load_on_demand
from specgrad.codegen.proof.formula_derivative import Plain
from specgrad.codegen.spec import load
from specgrad.codegen.spec.load import EntriesOnDemand
from specgrad.codegen.verify.calls.entries import OnDemand

# An entry of the tree's name, with another name, and one that other entries stand for.
OWN = """\
- name: mul.Tensor(Tensor self, Tensor other) -> Tensor
  aliases: [times]
  operator: "*"
  elementwise: self * other
  self: grad * other.conj()
  other: grad * self.conj()
  result: auto_multilinear
- name: sum(Tensor self, int dim) -> Tensor
  flags: [eager: mul.Tensor]
  composite: mul(self, self)
  samples: ["self=T(3), dim=0"]
"""


@pytest.fixture(scope="module")
def tree() -> EntriesOnDemand:
    return load_on_demand(SPEC)


def test_all_that_formulas_call_is_found(tree: EntriesOnDemand, tmp_path: Path) -> None:
    """By every name and operator, in the same order; an entry of the spec replaces the tree's of its name."""
    (tmp_path / "own.yaml").write_text(OWN, encoding="utf-8")
    own = load_on_demand(tmp_path / "own.yaml")
    found, all_read = OnDemand(tree, own), Plain({**tree, **own})
    assert dict(found.by_name) == all_read.by_name
    assert dict(found.by_operator) == all_read.by_operator
    assert found.by_name["times"] == [own["mul.Tensor"]]
    assert found.by_name.get("no such name") is None


def test_no_more_is_read_than_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A word costs the entries that mention it."""
    read, reading = [], load._entry
    monkeypatch.setattr(load, "_entry", lambda reader, *given: read.append(reader.op) or reading(reader, *given))
    (tmp_path / "own.yaml").write_text(OWN, encoding="utf-8")
    (found,) = OnDemand(load_on_demand(SPEC), load_on_demand(tmp_path / "own.yaml")).by_name["sigmoid"]
    assert found.name == "sigmoid" and read == ["sigmoid"]
