"""What is known of an entry: each fact is found once, and emitters that are given facts know nothing of functions."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from specgrad.codegen.emit import properties
from specgrad.codegen.emit.op import OpCode
from specgrad.codegen.emit.properties import Properties
from specgrad.codegen.emit.render import Renderer, Target
from specgrad.codegen.proof.derive import load_spec
from tests.repository import ROOT

SPEC = ROOT / "derivatives.yaml"
GIVEN_FACTS = ("composite", "docstrings", "fast_path")


@pytest.fixture(scope="module")
def ops() -> dict[str, OpCode]:
    return {code.entry.name: code for code in Renderer(load_spec(SPEC, SPEC.name)[0], Target()).ops}


FACTS: list[tuple[str, dict[str, Any]]] = [
    ("mul.Tensor", {"raw": (), "has_inplace": True, "has_out": True, "starts_with_number": True, "may_share": "full"}),
    ("where.self", {"raw": (True, False, False), "has_multiple_outputs": False, "moves": None}),
    ("max.dim", {"has_multiple_outputs": True, "names_outputs": True, "numpy_names": (), "may_share": "overlap"}),
    ("view", {"is_variadic": True, "has_out": False, "retypes": False, "batch_rule": "along"}),
    ("view.dtype", {"retypes": True, "has_dtype_argument": True}),
    ("fill_.Scalar", {"writes_first": True, "has_out": False}),
    ("chunk", {"gives_list": True, "names_outputs": False}),
]


@pytest.mark.parametrize(("name", "facts"), FACTS, ids=[name for name, _ in FACTS])
def test_facts_of_entries(ops: dict[str, OpCode], name: str, facts: dict[str, Any]) -> None:
    """Of element-wise ops, kernels, views, composites and what exists in place alone."""
    assert {fact: getattr(ops[name], fact) for fact in facts} == facts


def test_a_fact_is_found_once(ops: dict[str, OpCode], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks again gets what was found."""
    code = ops["add.Tensor"]
    own = Properties(code.entry, code.node, code.kernels, code.calls, code.library)
    found = own.numbers
    monkeypatch.setattr(properties, "number_arguments", None)
    assert own.numbers is found and [a.name for a in found] == ["alpha"]


@pytest.mark.parametrize("module", GIVEN_FACTS)
def test_emitters_that_are_given_facts(module: str) -> None:
    """They do not import the class that they are parts of, not even for type checkers."""
    path = Path(properties.__file__).with_name(f"{module}.py")
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    assert "op" not in {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
