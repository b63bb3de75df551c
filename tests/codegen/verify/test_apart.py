"""An op that ends its process, or writes outside of its arrays, is one line of the report; all others are checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from specgrad.codegen.__main__ import main
from specgrad.codegen.verify.checks.bounds import ENVIRONMENT
from specgrad.codegen.verify.command import PACKAGE, verify
from specgrad.codegen.verify.isolation import answers
from specgrad.codegen.verify.processes import Package, check_op_bounds

# A product along a dimension, with a kernel for backward that is told of dimension 1 whatever it is.
OUTSIDE = """\
- name: product(Tensor self, int dim, bool keepdim=False) -> Tensor
  dtype: same
  dtypes: [float]
  check: one_dim
  kernel: prod_dim
  dispatch: {batch: along}
  where:
    others: prod_others(self, dim)
  self: restore_reduced_dims(grad, self.shape, dim, keepdim) * others
  backward: prod_backward(grad, self, 1)
  result: (others * self_t).sum(dim, keepdim)
  samples: ["self=T(40, 3), dim=0"]
  errors: {IndexError: "self=T(3), dim=1"}
"""
# A formula that computes an integer of billions of digits.
ENDLESS = """\
- name: endless(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: 2 * self
  self: 2 * grad * (9 ** self.numel() ** 9 % 2)
  result: 2 * self_t
"""
# One that wants more memory than there is.
GREEDY = """\
- name: greedy(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: 2 * self
  self: 2 * grad + grad.new_zeros([1000000, 1000000]).sum()
  result: 2 * self_t
"""
RIGHT = """\
- name: right_{}(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: 2 * self
  self: 2 * grad
  result: auto_linear
"""


def report(
    folder: Path, capsys: pytest.CaptureFixture[str], *entries: str, limit: float, names: Sequence[str] = ()
) -> list[str]:
    """The lines that checking ops of a spec of some entries prints, right ones before and after them."""
    spec, out = folder / "ops.yaml", folder / "ops"
    spec.write_text("\n".join([RIGHT.format("first"), *entries, RIGHT.format("last")]), encoding="utf-8")
    assert main([str(spec), "--out", str(out), "--no-verify"]) == 0, capsys.readouterr().err
    capsys.readouterr()
    assert verify(Package.of(out), names, limit=limit) == 1
    return capsys.readouterr().out.splitlines()


def test_a_kernel_that_leaves_its_arrays_is_found_where_it_is_called(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not as a process that dies, or as wrong numbers elsewhere: the op, its formula and the sample are named."""
    lines = report(tmp_path, capsys, OUTSIDE, limit=300)
    assert len(lines) == 3
    assert re.match(r"ops\.yaml:\d+:\d+: product, gradient of self: at \(self=T\(40, 3\), dim=0\) a kernel", lines[0])
    assert "outside of an array: IndexError: index is out of bounds" in lines[0]
    assert "keepdim=True) a kernel reads or writes outside of an array" in lines[1]
    assert re.match(r"3 ops, \d+ checks, 2 wrong, \d+ s", lines[2])


@pytest.mark.parametrize("name", ["cumsum", "index_select", "sort", "convolution"])
def test_kernels_that_look_do_run(name: str) -> None:
    """Whatever else fails there is passed over, so it must be seen that something does not."""
    ((_, report),) = answers([(check_op_bounds, (PACKAGE, name))], 300, 1, ENVIRONMENT)
    assert report.checks > 4 and not report.findings


def test_what_hangs_and_what_wants_all_memory_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each costs its own op, in a line at its entry or formula; the ops around them are checked."""
    lines = report(tmp_path, capsys, ENDLESS, GREEDY, limit=5, names=["endless"])
    assert lines[0].startswith("ops.yaml:7: endless: verifying it did not end in 5 s")
    assert re.match(r"1 op, \d+ checks, 1 wrong, \d+ s", lines[-1])
    lines = report(tmp_path, capsys, ENDLESS, GREEDY, limit=300, names=["right_first", "greedy", "right_last"])
    assert re.match(r"ops\.yaml:\d+:9: greedy, gradient of self: at .*memory", lines[0], re.IGNORECASE)
    assert re.match(r"3 ops, \d+ checks, 1 wrong, \d+ s", lines[-1])
