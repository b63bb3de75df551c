"""`Variable`, as programs older than PyTorch 0.4 use it."""

import importlib
from typing import Any

import pytest


def test_program_of_2017(lib: Any) -> None:
    """x and w as Variables, a backward pass, a step on `.data`, zeros in the gradient."""
    x, w = lib.autograd.Variable(lib.ones(3, 2)), lib.autograd.Variable(lib.ones(2, 1), requires_grad=True)
    for _ in range(2):
        x.mm(w).pow(2).sum().backward()
        w.data -= 0.01 * w.grad.data
        w.grad.data.zero_()
    assert w.data.flatten().tolist() == pytest.approx([0.7744, 0.7744])


def test_what_a_variable_is(lib: Any) -> None:
    """A leaf Tensor over the memory of the data, that requires gradients only when asked to."""
    variable, data = lib.autograd.Variable, lib.ones(2, requires_grad=True)
    for made in (variable(data), variable(data * 1), variable(data=data), variable(lib.nn.Parameter(lib.ones(2)))):
        assert type(made) is lib.Tensor and made.is_leaf and not made.requires_grad
    for made in (variable(data, True), variable(data * 1, requires_grad=True), variable(data, requires_grad=1)):
        assert made.is_leaf and made.requires_grad and made is not data
    assert variable(data).data_ptr() == data.data_ptr()
    assert variable().numel() == variable(None).numel() == 0


def test_every_tensor_is_one(lib: Any) -> None:
    """isinstance says yes of tensors and parameters, and of nothing else."""
    variable = lib.autograd.Variable
    assert isinstance(lib.ones(1), variable) and isinstance(lib.nn.Parameter(lib.ones(1)), variable)
    assert not isinstance(1.0, variable) and not isinstance([lib.ones(1)], variable)
    assert importlib.import_module(f"{lib.__name__}.autograd.variable").Variable is variable


def test_errors(lib: Any) -> None:
    """Data must be a tensor, of a dtype that can have gradients where they are asked for."""
    variable = lib.autograd.Variable
    for wrong, name in (([1.0], "list"), (1, "int"), ("a", "str")):
        with pytest.raises(TypeError, match=f"Variable data has to be a tensor, but got {name}"):
            variable(wrong)
    with pytest.raises(
        RuntimeError, match="(?i)only tensors of floating point and complex dtype can require gradients"
    ):
        variable(lib.ones(2).long(), requires_grad=True)
    with pytest.warns(UserWarning, match="volatile was removed and now has no effect"):
        assert not variable(lib.ones(2), volatile=True).requires_grad
