"""The examples in the documentation of `autograd.Function`, as published, with only the import changed."""

import numpy as np
import pytest

import specgrad as torch
import specgrad.autograd.forward_ad as fwAD
from specgrad.autograd import Function, gradcheck, gradgradcheck
from specgrad.autograd.function import once_differentiable

# The examples in the documentation of Function and of FunctionCtx's methods


class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


class SavedFunc(Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor, y: torch.Tensor, z: int):
        w = x * z
        out = x * y + y * z + w * y
        ctx.save_for_backward(x, y, w, out)
        ctx.z = z  # z is not a tensor
        return out

    @staticmethod
    def backward(ctx, grad_out):
        x, y, w, out = ctx.saved_tensors
        z = ctx.z
        gx = grad_out * (y + y * z)
        gy = grad_out * (x + z + w)
        gz = None
        return gx, gy, gz


class ForwardFunc(Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor, y: torch.Tensor, z: int):
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)
        ctx.z = z
        return x * y * z

    @staticmethod
    def jvp(ctx, x_t, y_t, _):
        x, y = ctx.saved_tensors
        z = ctx.z
        return z * (y * x_t + x * y_t)

    @staticmethod
    def vjp(ctx, grad_out):
        x, y = ctx.saved_tensors
        z = ctx.z
        return z * grad_out * y, z * grad_out * x, None


class Inplace(Function):
    @staticmethod
    def forward(ctx, x):
        x_npy = x.numpy()  # x_npy shares storage with x
        x_npy += 1
        ctx.mark_dirty(x)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        return grad_output


class MaterializedFunc(Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone(), x.clone()

    @staticmethod
    @once_differentiable
    def backward(ctx, g1, g2):
        return g1 + g2  # No check for None necessary


class NotMaterializedFunc(Function):
    # We modify MaterializedFunc to handle non-materialized grad outputs
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x.clone(), x.clone()

    @staticmethod
    @once_differentiable
    def backward(ctx, g1, g2):
        (x,) = ctx.saved_tensors
        grad_input = torch.zeros_like(x)
        if g1 is not None:  # We must check for None now
            grad_input += g1
        if g2 is not None:
            grad_input += g2
        return grad_input


def test_exp_and_save_for_backward() -> None:
    """Saved inputs, saved outputs, saved intermediate values and numbers on ctx."""
    x = torch.randn(4, dtype=torch.double, requires_grad=True)
    assert gradcheck(Exp.apply, x) and gradgradcheck(Exp.apply, x)
    a = torch.tensor(1.0, requires_grad=True, dtype=torch.double)
    b = torch.tensor(2.0, requires_grad=True, dtype=torch.double)
    c = 4
    d = SavedFunc.apply(a, b, c)
    d.backward()
    assert (d.item(), a.grad.item(), b.grad.item()) == (18.0, 10.0, 9.0)


def test_save_for_forward() -> None:
    """`jvp` reads what save_for_forward kept; `vjp` is another name of backward."""
    a = torch.tensor(1.0, requires_grad=True, dtype=torch.double)
    t = torch.tensor(1.0, dtype=torch.double)
    b = torch.tensor(2.0, requires_grad=True, dtype=torch.double)
    c = 4

    with fwAD.dual_level():
        a_dual = fwAD.make_dual(a, t)
        d = ForwardFunc.apply(a_dual, b, c)
        assert fwAD.unpack_dual(d).tangent.item() == 8.0
    assert gradcheck(ForwardFunc.apply, (a, b, c), check_forward_ad=True)


def test_mark_dirty() -> None:
    """What was changed in place is noticed where its old value is needed."""
    a = torch.tensor(1.0, requires_grad=True, dtype=torch.double).clone()
    b = a * a
    Inplace.apply(a)  # This would lead to wrong gradients! but the engine would not know unless we mark_dirty
    with pytest.raises(RuntimeError, match="one of the variables needed for gradient computation has been modified"):
        b.backward()


def test_set_materialize_grads() -> None:
    """The gradient of an output that nothing used is zeros, or None where that was asked for."""
    for function in (MaterializedFunc, NotMaterializedFunc):
        a = torch.tensor(1.0, requires_grad=True)
        b, _ = function.apply(a)  # induces g2 to be undefined
        b.backward()
        assert a.grad.item() == 1.0


# Learning PyTorch with examples: new autograd functions


class LegendrePolynomial3(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input**3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input**2 - 1)


def test_legendre_polynomial() -> None:
    """The fit of a sine by a cubic of a custom Function finds what PyTorch finds."""
    x = torch.linspace(-np.pi, np.pi, 2000)
    y = torch.sin(x)
    a = torch.full((), 0.0, requires_grad=True)
    b = torch.full((), -1.0, requires_grad=True)
    c = torch.full((), 0.0, requires_grad=True)
    d = torch.full((), 0.3, requires_grad=True)

    learning_rate = 5e-6
    for _ in range(2000):
        P3 = LegendrePolynomial3.apply
        y_pred = a + b * P3(c + d * x)
        loss = (y_pred - y).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            a -= learning_rate * a.grad
            b -= learning_rate * b.grad
            c -= learning_rate * c.grad
            d -= learning_rate * d.grad
            a.grad = None
            b.grad = None
            c.grad = None
            d.grad = None

    assert loss.item() == pytest.approx(8.9436, abs=1e-3)
    assert [b.item(), d.item()] == pytest.approx([-2.2085, 0.2555], abs=1e-3)
