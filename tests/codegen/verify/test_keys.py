"""What keys say besides formulas: `verify` finds false statements about dtypes and about writing, and no others."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import specgrad as sg
from specgrad.codegen.__main__ import main
from specgrad.codegen.mutate.equivalence import alike
from specgrad.codegen.verify.calls.findings import Report
from specgrad.codegen.verify.checks.dtypes import check_dtypes
from specgrad.codegen.verify.checks.memory import check_replaces
from specgrad.codegen.verify.dtype_tables import golden_tables
from specgrad.generated.registry import BY_NAME


def findings(check: Any, name: str, **changed: Any) -> list[str]:
    """What a check says of an op's record, perhaps with changes."""
    report = Report()
    check(dataclasses.replace(BY_NAME[name], **changed), report)
    return [str(finding) for finding in report.findings.values()]


@pytest.mark.parametrize("name", ["erf", "sum.dim_IntList", "max.dim", "add.Tensor", "logical_not", "index_add"])
def test_what_entries_state_of_dtypes_comes_out(name: str) -> None:
    """Statements of the tree, of one output and of two, of mixed dtypes and of what is refused."""
    gives = golden_tables()[name]
    assert findings(check_dtypes, name, gives=gives) == [] and len(gives) > 4


@pytest.mark.parametrize(
    ("name", "gives", "says"),
    [
        ("erf", {"int32": "int32"}, "gives float32 for int32, where the entry says int32"),
        ("erf", {"complex64": "float32"}, "gives refused for complex64, where the entry says float32"),
        ("erf", {"int32": "refused"}, "gives float32 for int32, where the entry says refused"),
        ("max.dim", {"int32": "int32"}, "gives int32 int64 for int32, where the entry says int32"),
        ("max.dim", {"int32": "int32 int32"}, "gives int32 int64 for int32, where the entry says int32 int32"),
        ("add.Tensor", {"int32 float32": "int32"}, "gives float32 for int32 float32, where the entry says int32"),
    ],
)
def test_a_false_statement_of_dtypes_is_found(name: str, gives: dict[str, str], says: str) -> None:
    """With the call, what comes out, and the keys of which one is wrong."""
    (found,) = findings(check_dtypes, name, gives=gives)
    assert says in found and "(see keys dtype, dtypes, result_dtype)" in found


def truncated(input: Any) -> Any:
    """A function whose integers are what is left of it when it computes in them."""
    return (input.double() / 2).to(input.dtype)


def test_integers_that_lose_what_is_computed_are_found() -> None:
    """Half of an odd integer is no integer: that is found, unless the entry states that integers come out."""
    (found,) = findings(check_dtypes, "square", function=truncated, gives={})
    assert "square, dtypes: (self=T(3, 4)) in int32 gives int32: element" in found
    assert findings(check_dtypes, "square", function=truncated, gives={"int32": "int32"}) == []


def test_complex_numbers_that_dtypes_leaves_out_are_refused() -> None:
    """Nothing turns them into real ones."""
    (found,) = findings(check_dtypes, "square", dtypes=("bool", "int", "float"), gives={})
    assert "gives complex64 for complex64, which dtypes leaves out" in found


def failing(input: Any) -> Any:
    """A function whose kernel takes no complex numbers, and does not say so."""
    if input.is_complex():
        raise RuntimeError("square(): cannot be computed for arguments")
    return input * input


def test_a_kernel_that_fails_refuses_nothing() -> None:
    """Neither where an entry states a refusal, nor where it leaves a kind out."""
    changed = {"function": failing, "dtypes": ("bool", "int", "float"), "gives": {"complex64": "refused"}}
    (found,) = findings(check_dtypes, "square", **changed)
    assert "gives an error for complex64" in found


def test_what_takes_float32_takes_float16() -> None:
    """And gives it: it is stored in less, and computed in float32."""
    (found,) = findings(check_dtypes, "square", function=lambda input: input.float() * input.float(), gives={})
    assert "gives float32 for float16, and float32 for float32" in found


def half_of_both(input: Any, other: Any) -> Any:
    """A function that cuts its second operand to the dtype of its first."""
    return sg.logical_and(input, other.to(input.dtype))


def test_operands_of_unlike_dtypes_lose_nothing() -> None:
    """What an integer would cut is found where a mask comes out, and no dtype shows it."""
    (found,) = findings(check_dtypes, "logical_and", function=half_of_both)
    assert "in int32 float32 gives bool: element" in found


def test_numbers_have_kinds_too() -> None:
    """`int32 int: int32`: an integer tensor and an integer; what the sample has is a float."""
    stated = golden_tables()["clamp_min"]
    assert (stated["int32"], stated["int32 int"]) == ("float32", "int32")
    (found,) = findings(check_dtypes, "clamp_min", gives={"int32 int": "int64"})
    assert "gives int32 for int32 int, where the entry says int64" in found


@pytest.mark.parametrize("name", [name for name, op in BY_NAME.items() if op.replaces])
def test_ops_that_replace(name: str) -> None:
    """All entries that say so do."""
    assert findings(check_replaces, name) == []


@pytest.mark.parametrize("name", ["mul.Tensor", "relu", "cumsum", "index_add", "lt.Tensor", "clamp.both", "abs"])
def test_ops_that_do_not_replace_are_found(name: str) -> None:
    """What is computed from an element, be it a choice, is no replacement; nor what is added to it."""
    (found,) = findings(check_replaces, name, replaces=True)
    assert ", replaces: at (self=" in found and " becomes " in found


def test_dtypes_tell_records_apart() -> None:
    """A record is like itself, and like one of another rule only where no dtype shows the rule."""
    op = BY_NAME["neg"]
    same = alike(op, op)
    assert same is not None and same > 12
    assert alike(op, dataclasses.replace(op, function=lambda input: sg.neg(input))) == same
    assert alike(op, dataclasses.replace(op, function=lambda input: sg.neg(input.float()))) is None


def test_complex_halves_are_compared() -> None:
    """NumPy knows no complex32, in which a product computes too."""
    op = BY_NAME["mul.Tensor"]
    assert alike(op, op) is not None


WIDE = """\
- name: widened(Tensor self, int dim) -> Tensor
  dtype: same
  dtypes: [int, float]
  dtype_table: {int32: int64}
  check: one_dim
  kernel: cumsum
  errors: ["self=T(3, 4), dim=2"]
  self: grad.flip([dim]).cumsum(dim).flip([dim])
  result: auto_linear
  samples: ["self=T(3, 4), dim=1"]
"""


def test_a_spec_outside_the_tree_is_told_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Line and column of `dtype_table`."""
    spec = tmp_path / "ops.yaml"
    spec.write_text(WIDE, encoding="utf-8")
    assert main([str(spec), "--out", str(tmp_path / "ops")]) == 1
    lines = capsys.readouterr().out.splitlines()
    stated = "ops.yaml:4:16: widened, dtypes: (self=T(3, 4), dim=1) gives int32 for int32, where the entry says int64"
    assert len(lines) == 2 and lines[0].startswith(stated), lines
