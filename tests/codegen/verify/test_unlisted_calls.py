"""Calls that no entry lists: kernels keep to their arrays, and who does not is named with the call and the argument."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import specgrad as sg
from specgrad.codegen.__main__ import main

KERNELS = """\
import os

import numpy as np
from numba import njit


@njit(cache=True)
def gated(x, gate):
    out = np.empty_like(x)
    for r in range(x.shape[0]):
        for i in range(x.shape[1]):
            out[r, i] = x[r, i] * gate[r, i]
    return out


def past_end(x, gate):
    if gate.shape != x.shape:
        np.lib.stride_tricks.as_strided(gate, (gate.size + 1,), (8,))[-1] = 0.0
    return x * 2.0


def dying(x, gate):
    if gate.shape != x.shape:
        os.abort()
    return x * 2.0


def doubled_inside(x):
    x *= 2.0
    return x.copy()


def _unit(x):
    c = x - x.mean(-1, keepdims=True)
    r = 1 / np.sqrt((c * c).mean(-1, keepdims=True) + 1e-5)
    return c * r, r


def row_unit(x, gain):
    return _unit(x)[0] * gain


def row_unit_backward(grad, x, gain, output_mask):
    unit, r = _unit(x)
    if not output_mask[0]:
        return None, (grad * unit).sum(0)
    d = grad * gain * r
    dx = d - d.mean(-1, keepdims=True) - unit * (d * unit).mean(-1, keepdims=True) + d * 0.1 - d / 10  # some roundings
    return dx, (grad * unit).sum(0) if output_mask[1] else None


def row_lost_backward(grad, x, gain, output_mask):
    dx, dgain = row_unit_backward(grad, x, gain, output_mask)
    return dx, None if dgain is None else np.where(abs(dgain) < 3e-2, 0.0, dgain)
"""
CHECKS = '''\
def same_shape(name, x, gate):
    """Two tensors of one shape, of two dimensions."""
    if x.ndim != 2 or x.shape != gate.shape:
        raise RuntimeError(f"{name}(): expected two tensors of one shape of 2 dimensions")
    return x, gate


def rows_and_gain(name, x, gain):
    """Rows, and a gain for each column."""
    if x.ndim != 2 or tuple(gain.shape) != (x.shape[1],):
        raise RuntimeError(f"{name}(): expected rows, and a gain for each column")
    return x, gain
'''
TWO = """\
- name: {name}(Tensor self, Tensor gate) -> Tensor
  dtype: match
  dtypes: [float]
  output_differentiability: [False]
  kernel: {kernel}
  samples: ["self=T(3, 4), gate=T(3, 4)"]
"""
UNIT = """\
- name: {name}(Tensor self, Tensor gain) -> Tensor
  dtype: match
  dtypes: [float]
  kernel: row_unit
  check: rows_and_gain
  where:
    mean: self.mean(-1, True)
    r: ((self - mean) ** 2).mean(-1, True).add(1e-5).rsqrt()
    unit: (self - mean) * r
    gained: grad * gain
  self: r * (gained - gained.mean(-1, True) - unit * (gained * unit).mean(-1, True))
  gain: (grad * unit).sum(0)
  backward: {backward}(grad, self, gain, output_mask)
  result: r * ((self_t - self_t.mean(-1, True)) - unit * (unit * self_t).mean(-1, True)) * gain_p + unit * gain_t
  samples: ["self=T(3, 4), gain=T(4)", "self=V([[1.0, 1.03]]), gain=T(2)"]
  errors: {{RuntimeError: "self=T(3, 4), gain=T(3)"}}
"""
CHECKED = "  check: same_shape\n  errors: {{RuntimeError: 'self=T(3, 4), gate=T(4)'}}\n"
SPEC = "\n".join(
    [
        TWO.format(name="gated", kernel="gated"),
        (TWO + CHECKED).format(name="gated_safely", kernel="gated"),
        TWO.format(name="past_end", kernel="past_end"),
        TWO.format(name="dying", kernel="dying"),
        TWO.format(name="inside", kernel="doubled_inside").replace(", Tensor gate", "").replace(", gate=T(3, 4)", ""),
        UNIT.format(name="row_unit", backward="row_unit_backward"),
        UNIT.format(name="row_lost", backward="row_lost_backward"),
    ]
)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A package of these ops, which nobody has verified."""
    folder = tmp_path_factory.mktemp("unlisted") / "unlisted_ops"
    folder.mkdir()
    files = {"__init__.py": "", "kernels.py": KERNELS, "checks.py": CHECKS, "ops.yaml": SPEC}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert main([str(folder / "ops.yaml"), "--no-verify"]) == 0
    sys.path.insert(0, str(folder.parent))
    yield folder
    sys.path.remove(str(folder.parent))


@pytest.fixture(scope="module")
def shown(package: Path) -> list[str]:
    """What `verify` says of it."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        assert main(["verify", "--spec", str(package / "ops.yaml")]) == 1
    return output.getvalue().splitlines()


@pytest.mark.parametrize(
    ("op", "says"),
    [
        ("gated", "at (self=T(3, 4), gate=T(3, 4)) with 'gate' of shape [1, 4] a kernel reads or writes outside of an"),
        (
            "past_end",
            "with 'self' of shape [1, 4] memory is written outside an array of 96 bytes of the argument 'gate'",
        ),
        ("dying", "killed the process: Aborted, at (self=T(3, 4), gate=T(3, 4)) with 'self' of shape [1, 4]"),
        ("inside", "at (self=T(3, 4)) it writes to its argument 'self', which it must copy first"),
        ("row_lost", "the kernel's gradient of gain at element [0] is 0, not "),
    ],
)
def test_the_call_and_the_argument_are_named(shown: list[str], op: str, says: str) -> None:
    """One line for each op: the cause, and none of its consequences."""
    (line,) = [line for line in shown if f" {op}: " in line or f" {op}, " in line]
    assert says in line, line


@pytest.mark.parametrize("op", ["gated_safely", "row_unit"])
def test_nothing_is_said_of_a_right_entry(shown: list[str], op: str) -> None:
    """A check rejects what the kernel cannot do; roundings beside gradients of the size of 1 are no mistake."""
    assert not [line for line in shown if f" {op}: " in line or f" {op}, " in line], shown


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        (((3,), (3,)), r"^gated\(\): argument 'input' must have 2 dimensions, but got shape \[3\] \(numba: [^\n]*\)$"),
        (((3, 4), (4,)), r"^gated\(\): argument 'gate' must have 2 dimensions, but got shape \[4\] \(numba: [^\n]*\)$"),
    ],
)
def test_a_wrong_number_of_dimensions_is_named(package: Path, shapes: Any, says: str) -> None:
    """The op and the argument, in one line: numba's page is left out."""
    ops = importlib.import_module(f"{package.name}.generated")
    with pytest.raises(RuntimeError, match=says) as caught:
        ops.gated(*(sg.ones(shape) for shape in shapes))
    assert caught.value.__suppress_context__
