"""Signatures for type checkers and for `help`: those of the functions that run."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.dispatch.overloads import Overloads, overloads_of
from tests.repository import ROOT

pytestmark = pytest.mark.cpu("nothing is computed")
TENSOR = ast.parse((ROOT / "generated/tensor.pyi").read_text()).body[-1]
RETURN_TYPES = ast.parse((ROOT / "generated/return_types.pyi").read_text()).body
OVERLOADED = [name for name in sg.generated.ops.__all__ if overloads_of(getattr(sg.generated.ops, name)) is not None]


def _forms(name: str) -> list[str]:
    """The parameters of a method, a text for each overload."""
    found = [each for each in ast.walk(TENSOR) if isinstance(each, ast.FunctionDef) and each.name == name]
    return [ast.unparse(each.args) for each in found]


def test_sizes_are_a_list_or_one_by_one() -> None:
    assert _forms("expand") == ["self, size: Sequence[int]", "self, *size: int"]


def test_dimensions_have_two_names() -> None:
    """NumPy's is a keyword beside a dimension with a default, and in an overload of its own where one is needed."""
    assert "self, *, axis: int, keepdims: bool=False" in _forms("max")
    assert _forms("cumsum")[1] == "self, *, axis: int, dtype: dtype | None=None"
    assert _forms("argmax")[0].endswith("axis: int | None=None, keepdims: bool | None=None")


def test_operators_take_tensors_and_numbers() -> None:
    assert _forms("__add__") == _forms("__rmul__") == ["self, other: Tensor | Number"]
    assert _forms("__matmul__") == ["self, other: Tensor"]


@pytest.mark.parametrize(
    "stub", [each for each in RETURN_TYPES if isinstance(each, ast.ClassDef)], ids=lambda s: s.name
)
def test_named_results_have_the_fields_of_those_that_come(stub: ast.ClassDef) -> None:
    fields = tuple(line.target.id for line in stub.body if isinstance(line, ast.AnnAssign))  # type: ignore[union-attr]
    assert getattr(sg.return_types, stub.name)._fields == fields


@pytest.mark.parametrize("name", OVERLOADED)
def test_an_overloaded_function_has_a_signature(name: str) -> None:
    """With the names of all overloads, none of which is `args`."""
    function: Callable[..., Any] = getattr(sg.generated.ops, name)
    overloads = overloads_of(function)
    assert isinstance(overloads, Overloads)
    own = [set(inspect.signature(each).parameters) for each in overloads.functions]
    parameters = inspect.signature(function).parameters
    assert set(parameters) == set.union(*own)
    required = {p.name for p in parameters.values() if p.default is p.empty}
    assert required <= set.intersection(*own)
    kinds = {p.kind for p in parameters.values()}
    assert kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}


def test_it_can_be_called_under_these_names() -> None:
    x = sg.tensor([[1.0, 3.0], [4.0, 2.0]])
    assert sg.max(input=x, dim=1, keepdim=False).values.tolist() == [3.0, 4.0]
    assert sg.max(input=x, other=sg.zeros(())).tolist() == x.tolist()


@pytest.mark.parametrize(
    "function", [sg.zeros, sg.zeros_like, sg.rand, sg.randn_like, sg.randint, sg.arange, sg.tensor]
)
def test_creation_functions_say_their_types(function: Callable[..., Any]) -> None:
    signature = inspect.signature(function)
    assert signature.return_annotation == "Tensor"
    assert signature.parameters["dtype"].annotation == "dtype | None"
    assert signature.parameters["device"].annotation == "DeviceLike"
