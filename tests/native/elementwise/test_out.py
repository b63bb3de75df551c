"""`out=` of element-wise ops: native code writes the result to where it is to be, or leaves it to the general path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.ops import arithmetic, comparison, exponential
from specgrad.runtime.native.check_mode import general_path

pytestmark = pytest.mark.cpu("native functions of the CPU")

rng = np.random.default_rng(0)
A, B = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))

OPS: dict[str, tuple[Any, Callable[..., Any], Callable[..., Any]]] = {
    "add": (arithmetic.kernels.ADD_TENSOR, lambda a, b, out: sg.add(a, b, out=out), lambda a, b: a + b),
    "add a multiple": (
        arithmetic.kernels.ADD_TENSOR,
        lambda a, b, out: sg.add(a, b, alpha=0.5, out=out),
        lambda a, b: a + 0.5 * b,
    ),
    "add a number": (arithmetic.kernels.ADD_SCALAR, lambda a, b, out: sg.add(a, 3, out=out), lambda a, b: a + 3),
    "clamp": (
        comparison.kernels.CLAMP_BOTH,
        lambda a, b, out: sg.clamp(a, -1, 0.5, out=out),
        lambda a, b: a.clip(-1, 0.5),
    ),
    "exp": (exponential.kernels.EXP, lambda a, b, out: sg.exp(a, out=out), lambda a, b: np.exp(a)),
    "less": (comparison.kernels.LT_TENSOR, lambda a, b, out: sg.lt(a, b, out=out), lambda a, b: a < b),
}


def answers_of(op: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What native code will have answered to calls of an op with `out=`."""
    launch, answers = op.launch_out, list[Any]()

    def noted(*arguments: Any) -> Any:
        answers.append(launch(*arguments))
        return answers[-1]

    monkeypatch.setattr(op, "launch_out", noted)
    return answers


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16])
@pytest.mark.parametrize("name", OPS)
def test_results_are_written_natively(name: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tensor itself comes back, with NumPy's numbers rounded, one write more, in the same memory."""
    op, call, by_numpy = OPS[name]
    a, b = (sg.tensor(x, dtype=dtype) for x in (A, B))
    expected = by_numpy(a.double().numpy(), b.double().numpy())
    out = sg.empty(3, 5, dtype=sg.bool if expected.dtype == bool else dtype)
    index, writes, answers = out.data_ptr(), out._version, answers_of(op, monkeypatch)
    assert call(a, b, out) is out
    assert answers[-1] is out
    assert (out.data_ptr(), out._version) == (index, writes + 1)
    if expected.dtype == bool:
        assert (out.numpy() == expected).all()
    else:
        np.testing.assert_allclose(
            out.double().numpy(), expected, rtol={4: 3e-7, 8: 4e-16, 2: 8e-3}[out.element_size()]
        )


@pytest.mark.parametrize("which", [0, 1])
def test_an_operand_may_take_the_result(which: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each element is read before it is written."""
    answers, operands = answers_of(arithmetic.kernels.ADD_TENSOR, monkeypatch), [sg.tensor(A), sg.tensor(B)]
    sg.add(*operands, out=operands[which])
    assert answers[-1] is operands[which]
    assert (operands[which].numpy() == A + B).all()


def shifted() -> tuple[Any, Any, Any]:
    line = sg.arange(16.0)
    return line[:15].view(3, 5), sg.ones(3, 5), line[1:].view(3, 5)


REFUSED = {
    "another dtype": lambda: (sg.tensor(A), sg.tensor(B), sg.empty(3, 5, dtype=sg.float32)),
    "rows of a wider one": lambda: (sg.tensor(A), sg.tensor(B), sg.empty(3, 7, dtype=sg.float64)[:, :5]),
    "one that broadcasts": lambda: (sg.tensor(A), sg.tensor(B)[0], sg.empty(3, 5, dtype=sg.float64)),
    "integers to floats": lambda: (sg.arange(15).view(3, 5), sg.arange(15).view(3, 5), sg.empty(3, 5)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_tensors_are_for_the_general_path(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not lie in rows, or is of another dtype or shape, has the same values by way of a copy."""
    a, b, out = REFUSED[name]()
    answers = answers_of(arithmetic.kernels.ADD_TENSOR, monkeypatch)
    assert sg.add(a, b, out=out) is out
    assert answers == [None]
    np.testing.assert_allclose(out.double().numpy(), (a.double() + b.double()).numpy(), rtol=3e-7)


def test_memory_in_common_is_refused() -> None:
    """An element would be written before it is read."""
    a, b, out = shifted()
    with pytest.raises(RuntimeError, match=r"add\(\)"):
        sg.add(a, b, out=out)
    assert out.view(-1).tolist() == [float(i) for i in range(1, 16)]


def test_an_empty_tensor_grows_to_the_result() -> None:
    """As for every op with `out=`."""
    out = sg.empty(0)
    sg.mul(sg.full((2, 2), 3.0), 2.0, out=out)
    assert out.tolist() == [[6.0, 6.0], [6.0, 6.0]]


@pytest.mark.parametrize("which", ["operand", "out"])
def test_nothing_is_recorded(which: str) -> None:
    """What requires grad is refused before anything is written, and taken where nothing is recorded."""
    a, out = sg.ones(3, requires_grad=which == "operand"), sg.zeros(3, requires_grad=which == "out")
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        sg.exp(a, out=out)
    assert out.tolist() == [0.0] * 3
    with sg.no_grad():
        sg.exp(a, out=out)
    np.testing.assert_allclose(out.detach().numpy(), np.e, rtol=3e-7)


def test_a_backward_pass_sees_the_write() -> None:
    """A saved tensor that was written over is not used."""
    x, saved = sg.ones(3, requires_grad=True), sg.full((3,), 2.0)
    y = x * saved
    sg.exp(sg.zeros(3), out=saved)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_both_paths_agree() -> None:
    """Bit for bit, for views of a longer line as well."""
    line = sg.randn(64)
    a, b, out = line[:16], line[16:32], line[32:48]
    sg.lerp(a, b, 0.25, out=out)
    found = out.clone()
    with general_path():
        expected = sg.lerp(a, b, 0.25)
    assert (found == expected).all()
