"""The tutorial "Double Backward with Custom Functions", with only the import changed."""

from typing import Any

import pytest

import specgrad as torch
from specgrad.autograd import Function


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        # Because we are saving one of the inputs use `save_for_backward`
        # Save non-tensors and non-inputs/non-outputs directly on ctx
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad_out):
        # A function support double backward automatically if autograd is able to record the computations performed in
        # backward
        (x,) = ctx.saved_tensors
        return grad_out * 2 * x


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.exp(x)
        # This time we save the output
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_out):
        (result,) = ctx.saved_tensors
        return result * grad_out


class Sinh(Function):
    @staticmethod
    def forward(ctx, x):
        expx = torch.exp(x)
        expnegx = torch.exp(-x)
        ctx.save_for_backward(expx, expnegx)
        # In order to be able to save the intermediate results, a trick is to include them as our outputs, so that the
        # backward graph is constructed
        return (expx - expnegx) / 2, expx, expnegx

    @staticmethod
    def backward(ctx, grad_out, _grad_out_exp, _grad_out_negexp):
        expx, expnegx = ctx.saved_tensors
        grad_input = grad_out * (expx + expnegx) / 2
        # We cannot skip accumulating these even though we won't use the outputs directly. They will be used later in
        # the second backward.
        grad_input += _grad_out_exp * expx
        grad_input -= _grad_out_negexp * expnegx
        return grad_input


def sinh(x):
    # Create a wrapper that only returns the first output
    return Sinh.apply(x)[0]


class SinhBad(Function):
    @staticmethod
    def forward(ctx, x):
        expx = torch.exp(x)
        expnegx = torch.exp(-x)
        ctx.expx = expx
        ctx.expnegx = expnegx
        return (expx - expnegx) / 2

    @staticmethod
    def backward(ctx, grad_out):
        expx = ctx.expx
        expnegx = ctx.expnegx
        return grad_out * (expx + expnegx) / 2


def cube_forward(x):
    return x**3


def cube_backward(grad_out, x):
    return grad_out * 3 * x**2


def cube_backward_backward(grad_out, sav_grad_out, x):
    return grad_out * sav_grad_out * 6 * x


def cube_backward_backward_grad_out(grad_out, x):
    return grad_out * 3 * x**2


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return cube_forward(x)

    @staticmethod
    def backward(ctx, grad_out):
        (x,) = ctx.saved_tensors
        return CubeBackward.apply(grad_out, x)


class CubeBackward(Function):
    @staticmethod
    def forward(ctx, grad_out, x):
        ctx.save_for_backward(x, grad_out)
        return cube_backward(grad_out, x)

    @staticmethod
    def backward(ctx, grad_out):
        x, sav_grad_out = ctx.saved_tensors
        dx = cube_backward_backward(grad_out, sav_grad_out, x)
        dgrad_out = cube_backward_backward_grad_out(grad_out, x)
        return dgrad_out, dx


@pytest.mark.parametrize("function", [Square.apply, Exp.apply, sinh, Cube.apply])
def test_double_backward(function: Any) -> None:
    """Saved inputs, saved outputs, intermediates among the outputs, and a backward that is a Function itself."""
    # Use double precision because finite differencing method magnifies errors
    x = torch.rand(3, 3, requires_grad=True, dtype=torch.double)
    assert torch.autograd.gradcheck(function, x)
    # Use gradcheck to verify second-order derivatives
    assert torch.autograd.gradgradcheck(function, x)


def test_sinh_bad() -> None:
    """Intermediates that are not among the outputs are constants to the second backward, and gradgradcheck sees it."""
    x = torch.rand(3, 3, requires_grad=True, dtype=torch.double)
    assert torch.autograd.gradcheck(SinhBad.apply, x)
    with pytest.raises(RuntimeError):
        torch.autograd.gradgradcheck(SinhBad.apply, x)
