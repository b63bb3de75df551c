"""Update rules of optimizers against their formulas in NumPy float64."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg

from .steps import GRADS, START, steps


def _sgd(p: Any, grads: Any, lr: float, momentum: float = 0, dampening: float = 0, **o: Any) -> Any:
    buffer = None
    for g in grads:
        g = (-g if o.get("maximize") else g) + o.get("weight_decay", 0) * p
        if momentum:
            buffer = g if buffer is None else momentum * buffer + (1 - dampening) * g
            g = g + momentum * buffer if o.get("nesterov") else buffer
        p = p - lr * g
    return p


def _adam(p: Any, grads: Any, lr: float = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, **o: Any) -> Any:
    m, v, largest = 0 * p, 0 * p, 0 * p
    decay = o.get("weight_decay", 0)
    for t, g in enumerate(grads, 1):
        g = -g if o.get("maximize") else g
        if o.get("decoupled"):
            p = p - lr * decay * p
        else:
            g = g + decay * p
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g**2
        largest = np.maximum(largest, v)
        used = largest if o.get("amsgrad") else v
        p = p - lr * (m / (1 - betas[0] ** t)) / (np.sqrt(used / (1 - betas[1] ** t)) + eps)
    return p


def _adamw(p: Any, grads: Any, **o: Any) -> Any:
    return _adam(p, grads, decoupled=True, **{"weight_decay": 1e-2, **o})


CASES = [
    ("SGD", _sgd, {"lr": 0.1}),
    ("SGD", _sgd, {"lr": 0.1, "weight_decay": 0.3, "maximize": True}),
    ("SGD", _sgd, {"lr": 0.1, "momentum": 0.9}),
    ("SGD", _sgd, {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1}),
    ("SGD", _sgd, {"lr": 0.1, "momentum": 0.8, "nesterov": True, "weight_decay": 0.1}),
    ("Adam", _adam, {}),
    ("Adam", _adam, {"lr": 0.2, "betas": (0.5, 0.7), "eps": 0.1, "weight_decay": 0.3}),
    ("Adam", _adam, {"lr": 0.2, "betas": (0.5, 0.7), "amsgrad": True, "maximize": True}),
    ("AdamW", _adamw, {}),
    ("AdamW", _adamw, {"lr": 0.2, "weight_decay": 0.4, "amsgrad": True, "betas": (0.5, 0.6)}),
]


IDS = [f"{name}-{'-'.join(options) or 'defaults'}" for name, _, options in CASES]


@pytest.mark.parametrize(("name", "reference", "options"), CASES, ids=IDS)
def test_rule(lib: Any, name: str, reference: Any, options: dict[str, Any]) -> None:
    """Six steps in float64 give what the formula gives."""
    p, _ = steps(lib, name, options, lib.float64)
    np.testing.assert_allclose(p.detach().numpy(), reference(START, GRADS, **options), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("fused", [None, False])
@pytest.mark.parametrize(("name", "reference", "options"), CASES, ids=IDS)
def test_kernel_and_tensor_operations_agree(name: str, reference: Any, options: dict[str, Any], fused: Any) -> None:
    """Float64 steps by the kernel and by tensor operations agree with the formula to rounding."""
    p, _ = steps(sg, name, {**options, "fused": fused}, sg.float64)
    np.testing.assert_allclose(p.detach().numpy(), reference(START, GRADS, **options), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("dtype", [sg.float32, sg.float16, sg.bfloat16], ids=str)
@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_narrow_dtypes(name: str, dtype: Any) -> None:
    """Narrow parameters stay in their dtype and are as near to the formula as it allows."""
    reference = {"SGD": _sgd, "Adam": _adam}[name]
    p, optimizer = steps(sg, name, {"lr": 0.1}, dtype)
    assert p.dtype is dtype
    tolerance = {"float32": 1e-6, "float16": 1e-2, "bfloat16": 8e-2}[dtype.name]
    expected = reference(START, GRADS, lr=0.1)
    np.testing.assert_allclose(p.detach().double().numpy(), expected, rtol=tolerance, atol=tolerance)


def test_views_and_transposed_gradients() -> None:
    """Parameters that are not contiguous, and gradients that are not, are changed alike."""
    for options in ({"lr": 0.1, "momentum": 0.9}, {"lr": 0.1}):
        p = sg.from_numpy(START.copy()).t().requires_grad_()
        q = sg.from_numpy(START.copy()).requires_grad_()
        first, second = sg.optim.SGD([p], **options), sg.optim.SGD([q], **options)
        for g in GRADS:
            p.grad, q.grad = sg.from_numpy(g).t(), sg.from_numpy(np.asfortranarray(g))
            first.step()
            second.step()
        expected = _sgd(START, GRADS, **options)
        np.testing.assert_allclose(p.detach().numpy().T, expected, rtol=1e-12)
        np.testing.assert_allclose(q.detach().numpy(), expected, rtol=1e-12)


def test_complex_parameters(lib: Any) -> None:
    """A complex parameter is changed like its real and imaginary parts."""
    z = START + 1j * START[::-1]
    for name, reference in (("SGD", _sgd), ("Adam", _adam)):
        p = lib.from_numpy(z.copy()).requires_grad_()
        optimizer = getattr(lib.optim, name)([p], lr=0.1)
        for g in GRADS:
            p.grad = lib.from_numpy(g + 2j * g)
            optimizer.step()
        expected = reference(z.real, GRADS, lr=0.1) + 1j * reference(z.imag, [2 * g for g in GRADS], lr=0.1)
        np.testing.assert_allclose(p.detach().numpy(), expected, rtol=1e-9)


def test_step_counts_as_a_write(lib: Any) -> None:
    """Backward through a graph that saved a parameter notices that a step changed it."""
    p = lib.ones(3, requires_grad=True)
    optimizer = lib.optim.SGD([p], lr=0.1)
    y = (p * p).sum()
    p.grad = lib.ones(3)
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an in-?place operation"):
        y.backward()


def test_gradient_of_another_size_is_no_crash() -> None:
    """A parameter whose data was replaced by a larger tensor does not make the kernel read past the gradient."""
    p = sg.ones(3, requires_grad=True)
    p.grad = sg.ones(3)
    p.data = sg.ones(1000)
    with pytest.raises(RuntimeError):
        sg.optim.SGD([p], lr=0.1).step()


def test_tensor_learning_rate(lib: Any) -> None:
    """The step size may be a tensor."""
    p = lib.ones(1, requires_grad=True)
    p.grad = lib.ones(1)
    lib.optim.SGD([p], lr=lib.tensor(0.25)).step()
    assert p.item() == 0.75
