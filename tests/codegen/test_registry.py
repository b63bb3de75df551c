"""The registry: its lines leave out what is a default of their class, and are parsed when their op is asked for."""

from __future__ import annotations

import dataclasses
import json
import types
from pathlib import Path

import pytest

from specgrad.codegen.emit.registry import defaults
from specgrad.runtime.dispatch import registry
from specgrad.runtime.dispatch.registry import DATA, Op, Ops, Registry
from tests.repository import ROOT

OWN = types.SimpleNamespace(one=abs, two=len, Node=int)


def test_what_is_left_out_is_the_default() -> None:
    """The generator's table of defaults is that of `Op`, but for functions and nodes, which are there or not."""
    fields = [field for field in dataclasses.fields(Op) if field.name not in ("node", "inplace")]
    made = {f.name: f.default_factory() for f in fields if f.default_factory is not dataclasses.MISSING}
    plain = {f.name: f.default for f in fields if f.default is not dataclasses.MISSING}
    assert made | plain == defaults()


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """The registry of a package with two ops."""
    one = {"name": "one", "function": "one", "node": "Node", "kind": "kernel", "schema": "", "arguments": []}
    notified = {"domain": {"x": [0.5, float("inf")]}, "arguments": [["x", "Tensor", True, False]]}
    two = one | {"name": "two.of", "function": "two", "example": "a\nb\u2028"} | notified
    (tmp_path / "registry_of_two").mkdir()
    (tmp_path / "registry_of_two" / "__init__.py").touch()
    (tmp_path / "registry_of_two" / DATA).write_text(f"{json.dumps(one)}\n{json.dumps(two)}\n", encoding="ascii")
    monkeypatch.syspath_prepend(tmp_path)
    return Registry("registry_of_two.registry", OWN, OWN)


def test_an_op_is_parsed_when_it_is_asked_for(own: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, and no other; names cost none."""
    parsed = []
    plain = json.loads
    monkeypatch.setattr(registry.json, "loads", lambda text: parsed.append(text[0]) or plain(text))
    assert list(own) == ["one", "two.of"] and "one" in own and len(own) == 2 and own.get("three") is None
    assert "{" not in parsed
    assert own["two.of"] is own["two.of"] and parsed.count("{") == 1


def test_what_an_op_is_told(own: Registry) -> None:
    """Functions and the node by name, sequences as tuples, at any depth."""
    one, two = Ops(own)
    assert (one.function, two.function, two.node, one.inplace) == (abs, len, int, None)
    assert two.arguments == (("x", "Tensor", True, False),) and two.domain == {"x": (0.5, float("inf"))}
    assert two.example == "a\nb\u2028" and one.arguments == ()
    assert Ops(own)[-1] is two and Ops(own)[:1] == [one]


def test_the_tree_has_a_line_for_each_op() -> None:
    """Each with its name first, in ASCII, so that no other character ends a line."""
    lines = (ROOT / "generated" / DATA).read_text(encoding="ascii").splitlines()
    assert len(lines) > 600 and all(line.startswith('{"name": "') and line.endswith("}") for line in lines)
