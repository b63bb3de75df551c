"""What an entry says of values and of wrong calls, by `reference`, `errors` and `example`, is compared with the op."""

from __future__ import annotations

import contextlib
import dataclasses
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.codegen.__main__ import main
from specgrad.codegen.spec.reference import evaluate
from specgrad.codegen.verify.calls.findings import Report
from specgrad.codegen.verify.calls.point import Point
from specgrad.codegen.verify.checks.errors_and_examples import check_example, check_refuses
from specgrad.codegen.verify.checks.reference import agree, check_kinds, check_reference, difference
from specgrad.generated import ops
from specgrad.generated.registry import BY_NAME


def found(op: Any) -> list[str]:
    """What the checks of values and of refusals say of an op."""
    report = Report()
    for text in op.samples:
        check_reference(Point(op, text), report)
    check_kinds(op, report)
    check_refuses(op, report)
    return [str(finding) for finding in report.findings.values()]


def of_numbers(function: Callable[..., Any], otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """One function of tensors of integers, another of all others."""
    return lambda input, *args, **named: (function if input.dtype is sg.int64 else otherwise)(input, *args, **named)


WRONG: dict[str, tuple[str, Callable[..., Any], str]] = {
    "another kernel": ("amax", ops.amin, "amax, kernel: at (self=T(3, 4), dim=1) element ["),
    "twice as much": ("trace", lambda input: 2 * ops.trace(input), "trace, composite: at (self=T(3, 4)) element [] is"),
    "transposed": ("triu", lambda input, diagonal=0: ops.tril(input, diagonal), "triu, kernel: at (self="),
    "another shape": (
        "mean",
        lambda input: input.mean(0),
        "mean, kernel: at (self=T(3, 4)) its shape is (4,), not the",
    ),
    "a product of integers": (
        "sum",
        of_numbers(ops.prod, ops.sum),
        "sum, kernel: at (self=T(3, 4)) of int element [] ",
    ),
    "floats for integers": (
        "abs",
        of_numbers(lambda x: x.abs() * 1.0, ops.abs),
        "of int the result is a float, not an",
    ),
    "no check": ("mm", lambda input, mat2: sg.zeros(2, 5), "mm, check: (self=T(2, 3), mat2=T(40, 5)) gives float32 of"),
}


@pytest.mark.parametrize(("name", "function", "says"), WRONG.values(), ids=WRONG)
def test_a_wrong_function_is_told_by_a_number_or_a_call(name: str, function: Callable[..., Any], says: str) -> None:
    """The right function passes; the wrong one is a finding at what computes the op, or at its check."""
    op = BY_NAME[name]
    assert found(op) == []
    notified = found(dataclasses.replace(op, function=named(function, op)))
    assert any(says in line for line in notified), notified


def named(function: Callable[..., Any], op: Any) -> Callable[..., Any]:
    """A function that has the signature of an op's own."""

    def standing(*args: Any, **given: Any) -> Any:
        return function(*args, **given)

    standing.__wrapped__ = op.function  # type: ignore[attr-defined]
    standing.__module__ = op.function.__module__
    return standing


def test_the_second_overload_is_not_forgotten() -> None:
    """gcd for lcm: integers only, which no slope would tell apart."""
    notified = []
    op = dataclasses.replace(BY_NAME["gcd"], function=named(ops.lcm, BY_NAME["gcd"]))
    report = Report()
    check_reference(Point(op, "self=V([4, 6]), other=V([6, 4])"), report)
    notified = [str(finding) for finding in report.findings.values()]
    assert (
        len(notified) == 1
        and "gcd, elementwise: at (self=V([4, 6]), other=V([6, 4])) element [0] is 12, not the 2" in notified[0]
    )


def raising(error: Exception) -> Callable[..., Any]:
    def function(input: Any, dim: int) -> Any:
        raise error

    return function


def by_accident(input: Any, dim: int) -> Any:
    return dict[int, int]()[dim]


ERRORS: dict[str, tuple[Callable[..., Any], str]] = {
    "another class": (raising(ValueError("dim")), "is refused by ValueError: dim, where IndexError is wanted"),
    "without a word": (raising(IndexError()), "is refused by IndexError without a word"),
    "of no class for it": (raising(OSError("dim")), "fails by accident: OSError: dim"),
    "by accident": (by_accident, "fails by accident: KeyError: 5"),
    "before the check": (
        raising(IndexError("no")),
        "none of these calls is refused by the check 'one_dim', but before it",
    ),
}


@pytest.mark.parametrize(("function", "says"), ERRORS.values(), ids=ERRORS)
def test_how_a_call_is_refused(function: Callable[..., Any], says: str) -> None:
    """On purpose, by an error of the class that the entry states, with words, and by the check."""
    op = dataclasses.replace(BY_NAME["cumsum"], function=function, refuses=(("self=T(3), dim=5", "IndexError"),))
    report = Report()
    check_refuses(op, report)
    (notified,) = (str(finding) for finding in report.findings.values())
    assert says in notified and ("(self=T(3), dim=5)" in notified or "one_dim" in notified)


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ("np.concatenate([self], 7)", "trace, reference: at (self=T(3, 4)): AxisError"),
        ("(np.trace(self), 1)", "trace, reference: at (self=T(3, 4)) it gives 2 values to compare, and the op 1"),
        ("(None,)", "it leaves all open"),
    ],
)
def test_a_reference_that_cannot_be_compared(reference: str, says: str) -> None:
    """It is at fault itself, and it is told where."""
    notified = found(dataclasses.replace(BY_NAME["trace"], reference=reference))
    assert len(notified) == 1 and says in notified[0], notified


def test_an_example_is_run() -> None:
    """What it prints is compared with what it says."""
    report = Report()
    check_example(BY_NAME["trace"], report)
    assert not report.findings and report.checks == 1
    check_example(dataclasses.replace(BY_NAME["trace"], example=">>> sg.zeros(1)\ntensor([1.])"), report)
    (notified,) = (str(finding) for finding in report.findings.values())
    assert "trace, example: sg.zeros(1) Expected: tensor([1.]) Got: tensor([0.])" in notified


@pytest.mark.parametrize(
    ("got", "right", "is_same"),
    [
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), True),
        (np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-14]), True),
        (np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-8]), False),
        (np.array([1e8, 1.0]), np.array([1e8, 1.0 + 1e-3]), False),
        (np.array([1.0], np.float32), np.array([1.0 + 1e-6]), True),
        (np.array([1.0], np.float32), np.array([1.001]), False),
        (np.array([np.inf]), np.array([1e308]), False),
        (np.array([3]), np.array([4]), False),
    ],
)
def test_the_bound_is_relative(got: np.ndarray, right: np.ndarray, is_same: bool) -> None:
    """To the element and the largest, by the dtype of the result."""
    assert agree(got, right) is is_same
    assert bool(difference(got, right)) is not is_same


def test_an_expression_has_its_values_and_libraries_and_nothing_else() -> None:
    """No builtin of Python's that is not listed."""
    assert evaluate("np.sum([x * k for k in range(3)])", {"x": 2}) == 6
    assert evaluate("(lambda y: y + scipy.special.erf(0))(x)", {"x": 2}) == 2
    with pytest.raises(NameError):
        evaluate("open(x)", {"x": "f"})


SPEC = """\
- name: greatest(Tensor self, int dim) -> Tensor
  dtypes: [float]
  kernel: cumsum
  reference: np.flip(np.cumsum(np.flip(self, dim), dim), dim)
  self: grad.flip([dim]).cumsum(dim).flip([dim])
  result: auto_linear
  samples: ["self=T(3, 4), dim=1"]
  skip_grad_args: {dim: the kernel takes no dimension that counts from the end}
- name: doubled(Tensor self) -> Tensor
  dtypes: [float]
  composite: trace(self) * 2
  reference: np.trace(self)
  samples: ["self=T(3, 3)"]
- name: times(Tensor self, Tensor mat2) -> Tensor
  dtypes: [float]
  kernel: mm
  reference: np.matmul(self, mat2)
  self: grad.mm(mat2.T)
  mat2: self.T.mm(grad)
  result: auto_multilinear
  samples: ["self=T(2, 3), mat2=T(3, 4)"]
  errors: ["self=T(2, 3), mat2=T(40, 5)"]
- name: shown(Tensor self) -> Tensor
  dtypes: [float]
  composite: self + 1
  reference: 1.0 + self
  samples: ["self=T(3, 3)"]
  example: |
    >>> shown(sg.ones(1))
    tensor([3.])
- name: kept(Tensor self) -> Tensor
  composite: self.reshape(self.shape)
  reference: np.array(self)
  samples: ["self=T(3, 3)"]
- name: seen(Tensor(a) self) -> Tensor(a)
  composite: self.clone()
  reference: np.array(self)
  samples: ["self=T(3, 3)"]
- name: unnamed(Tensor self, Tensor mat2) -> Tensor
  composite: mm(self, mat2)
  reference: self @ mat2
  samples: ["self=T(2, 3), mat2=T(3, 4)"]
  errors: {RuntimeError: ["self=T(2, 3), mat2=T(40, 5)"]}
- name: right(Tensor self, int dim) -> Tensor
  dtypes: [float]
  kernel: cumsum
  check: one_dim
  reference: np.cumsum(self, dim)
  self: grad.flip([dim]).cumsum(dim).flip([dim])
  result: auto_linear
  samples: ["self=T(3, 4), dim=1"]
  errors: {IndexError: ["self=T(3, 4), dim=2", "self=T(3), dim=-2"]}
  example: |
    >>> ops.right(sg.ones(2), 0)
    tensor([1., 2.])
"""


def test_a_spec_outside_the_tree_is_told_its_mistakes_where_they_are(tmp_path: Path) -> None:
    """The kernel, the composite, the call that is not refused, the example: each at its key, and no other."""
    (tmp_path / "ops.yaml").write_text(SPEC, encoding="utf-8")
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        assert main([str(tmp_path / "ops.yaml"), "--out", str(tmp_path / "ops")]) == 1
    *lines, _, _ = shown.getvalue().splitlines()
    begins = [
        "ops.yaml:3:11: greatest, kernel: at (self=T(3, 4), dim=1) element [",
        "ops.yaml:11:14: doubled, composite: at (self=T(3, 3)) element [] is ",
        "ops.yaml:22:11: times, errors: (self=T(2, 3), mat2=T(40, 5)) gives float64 of shape (2, 5), where an error",
        "ops.yaml:28:12: shown, example: shown(sg.ones(1)) Expected: tensor([3.]) Got: tensor([2.])",
        "ops.yaml:32:14: kept, composite: at (self=T(3, 3)) `result` lies in the memory of an argument, where",
        "ops.yaml:35:9: seen, name: the schema has Tensor(a) for a result that lies in the memory of an argument at no",
        "ops.yaml:43:11: unnamed, errors: (self=T(2, 3), mat2=T(40, 5)) is refused by ShapeError: mm(): ",
    ]
    assert len(lines) == len(begins), lines
    assert [line.startswith(begin) for line, begin in zip(lines, begins, strict=True)] == [True] * len(begins), lines
