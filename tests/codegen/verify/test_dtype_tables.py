"""The golden file of dtypes: it has every op of the tree, and an op that gives others is found at its line."""

from typing import Any

import pytest

from specgrad.codegen.verify import dtype_tables
from specgrad.codegen.verify.calls.findings import Report
from specgrad.codegen.verify.calls.point import typed_calls
from specgrad.codegen.verify.dtype_tables import check_golden, golden_tables
from specgrad.generated.registry import BY_NAME, OPS


def test_each_op_has_a_line() -> None:
    """Of those that take tensors; a new op gets one by `python -m codegen dtypes`."""
    calls = {op.name: next(iter(typed_calls(op)), None) for op in OPS}
    assert list(golden_tables()) == [name for name, call in calls.items() if call is not None and call.tensors]


@pytest.mark.parametrize("name", ["sqrt", "add.Tensor", "max.dim"])
def test_other_dtypes_are_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op: Any = BY_NAME[name]
    report = Report()
    check_golden(op, report)
    assert report.checks >= len(dtype_tables.ONE_DTYPE) and not report.findings
    changed = golden_tables() | {name: golden_tables()[name] | {"float32": "float64"}}
    monkeypatch.setattr(dtype_tables, "golden_tables", lambda: changed)
    check_golden(op, report)
    (found,) = report.findings.values()
    assert "tensors of float32 give float32" in found.text and found.location.startswith("derivatives.yaml:")
