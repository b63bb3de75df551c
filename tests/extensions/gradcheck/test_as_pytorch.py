"""gradcheck and gradgradcheck do what PyTorch's do: the same verdicts, errors, first lines and Jacobians."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

both_modes = pytest.mark.parametrize("fast_mode", [False, True])


def function(t: Any, forward: Any, backward: Any, jvp: Any = None) -> Any:
    """A custom Function of either library."""

    class Custom(t.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return forward(x)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.set_materialize_grads(False)
            ctx.x = inputs[0]

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return backward(ctx, *grads)

        @staticmethod
        def jvp(ctx: Any, x_t: Any) -> Any:
            return jvp(x_t)

    return Custom.apply


def x_of(t: Any) -> Any:
    """A real input."""
    return t.tensor([0.5, -1.0, 2.0], dtype=t.float64, requires_grad=True)


def z_of(t: Any) -> Any:
    """A complex input."""
    return t.tensor([0.5 + 1j, -1.0], dtype=t.complex128, requires_grad=True)


def or_none(f: Callable[[Any], Any]) -> Any:
    """A backward that answers nothing with nothing."""
    return lambda ctx, g: None if g is None else f(g)


Scenario = Callable[..., Any]  # (module, options) -> whatever gradcheck returns

SCENARIOS: dict[str, Scenario] = {
    "right": lambda t, **k: t.autograd.gradcheck(t.sin, x_of(t), **k),
    "right, forward mode": lambda t, **k: t.autograd.gradcheck(t.sin, x_of(t), check_forward_ad=True, **k),
    "wrong": lambda t, **k: t.autograd.gradcheck(function(t, lambda x: x * 2, or_none(lambda g: g * 3)), x_of(t), **k),
    "wrong for one output of two": lambda t, **k: t.autograd.gradcheck(
        lambda a, b: (a * b, function(t, lambda x: x * 2, or_none(lambda g: g * 3))(b)), (x_of(t), x_of(t)), **k
    ),
    "wrong jvp": lambda t, **k: t.autograd.gradcheck(
        function(t, lambda x: x * 2, or_none(lambda g: g * 2), lambda x_t: x_t * 3), x_of(t), check_forward_ad=True, **k
    ),
    "wrong jvp of complex numbers": lambda t, **k: t.autograd.gradcheck(
        function(t, lambda x: x * 2j, or_none(lambda g: g * -2j), lambda x_t: x_t.conj() * 2j),
        z_of(t),
        check_forward_ad=True,
        **k,
    ),
    "R to C": lambda t, **k: t.autograd.gradcheck(
        function(t, lambda x: x * (1 + 2j), or_none(lambda g: (g * (1 + 2j)).real)), x_of(t), **k
    ),
    "C to R": lambda t, **k: t.autograd.gradcheck(
        function(t, lambda x: (x * x.conj()).real, lambda ctx, g: None if g is None else g * ctx.x), z_of(t), **k
    ),
    "C to C": lambda t, **k: t.autograd.gradcheck(
        function(t, lambda x: x * 2j, or_none(lambda g: g * 2j)), z_of(t), **k
    ),
    "not multiplied": lambda t, **k: t.autograd.gradcheck(
        function(t, lambda x: x.sum(), or_none(lambda g: t.ones(3, dtype=t.float64))), x_of(t), **k
    ),
    "undefined gradients refused": lambda t, **k: t.autograd.gradcheck(
        function(t, lambda x: x * 2, lambda ctx, g: g * 2 if g is not None else t.ones(2).reshape(3)), x_of(t), **k
    ),
    "undefined gradients give ones": lambda t, **k: t.autograd.gradcheck(
        function(t, lambda x: x * 2, lambda ctx, g: g * 2 if g is not None else t.ones(3, dtype=t.float64)),
        x_of(t),
        **k,
    ),
    "hidden dependence": lambda t, **k: t.autograd.gradcheck(lambda a: a.detach() * 2, x_of(t), **k),
    "constant": lambda t, **k: t.autograd.gradcheck(lambda a: t.ones(3, dtype=t.float64), x_of(t), **k),
    "index": lambda t, **k: t.autograd.gradcheck(lambda a: a.argmax(), x_of(t), **k),
    "list of outputs": lambda t, **k: t.autograd.gradcheck(lambda a: [a * 2, a], [x_of(t)], **k),
    "no input": lambda t, **k: t.autograd.gradcheck(lambda a: a, x_of(t).detach(), **k),
    "overlapping": lambda t, **k: t.autograd.gradcheck(
        lambda a: a * 2, t.ones(1, dtype=t.float64).expand(3).requires_grad_(), **k
    ),
    "single precision": lambda t, **k: t.autograd.gradcheck(lambda a: a * 2, t.ones(2, requires_grad=True), **k),
    "at a kink": lambda t, **k: t.autograd.gradcheck(lambda a: (a - a.detach()).abs(), x_of(t), **k),
    "infinite slope": lambda t, **k: t.autograd.gradcheck(
        t.sqrt, t.zeros(2, dtype=t.float64).requires_grad_(), check_forward_ad=True, **k
    ),
    "nothing to check": lambda t, **k: t.autograd.gradcheck(t.sin, x_of(t), check_backward_ad=False, **k),
    "same input twice": lambda t, **k: (lambda x: t.autograd.gradcheck(lambda a, b: a * b, (x, x), **k))(x_of(t)),
    "second order": lambda t, **k: t.autograd.gradgradcheck(t.sin, x_of(t), check_fwd_over_rev=True, **k),
    "second order cut off": lambda t, **k: t.autograd.gradgradcheck(
        function(t, lambda x: x * x, lambda ctx, g: None if g is None else g * 2 * ctx.x.detach()),
        x_of(t),
        t.ones(3, dtype=t.float64),
        **k,
    ),
    "second order of complex numbers": lambda t, **k: t.autograd.gradgradcheck(lambda a: a * a.conj(), z_of(t), **k),
    "second order, batches": lambda t, **k: t.autograd.gradgradcheck(t.sin, x_of(t), check_batched_grad=True, **k),
}


def outcome(t: Any, name: str, **options: Any) -> tuple[str, str, list[np.ndarray]]:
    """(class of error or value, first line, the Jacobians that are shown)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(SCENARIOS[name](t, **options)), "", []
        except Exception as error:
            known = [c.__name__ for c in type(error).__mro__ if c.__name__ in CLASSES]
            text = str(error)
            tensors = re.findall(r"tensor\((\[\[.*?\]\])", text, re.DOTALL)
            names = {"nan": np.nan, "inf": np.inf}
            return known[0], text.partition("\n")[0], [np.array(eval(b, names), dtype=complex) for b in tensors]


CLASSES = {"GradcheckError", "RuntimeError", "AssertionError", "ValueError", "TypeError", "NotImplementedError"}
# Here the rest of the line is another: it names the Function instead of a file of PyTorch's.
OWN_WORDS = re.compile(r"(undefined output grads|are undefined or zero).*")


@both_modes
@pytest.mark.parametrize("name", SCENARIOS)
def test_same_as_pytorch(name: str, fast_mode: bool) -> None:
    """Verdict, error class, first line and the whole Jacobians."""
    torch = pytest.importorskip("torch")
    cls, line, jacobians = outcome(sg, name, fast_mode=fast_mode)
    torch_cls, torch_line, torch_jacobians = outcome(torch, name, fast_mode=fast_mode)
    assert cls == torch_cls or {cls, torch_cls} == {"ValueError", "AssertionError"}
    assert OWN_WORDS.sub(r"\1", line) == OWN_WORDS.sub(r"\1", torch_line)
    assert len(jacobians) == len(torch_jacobians)
    for ours, theirs in zip(jacobians, torch_jacobians, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", ["gradcheck", "gradgradcheck"])
def test_same_arguments_as_pytorch(name: str) -> None:
    """Names, kinds and defaults."""
    torch = pytest.importorskip("torch")
    ours, theirs = (inspect.signature(getattr(t.autograd, name)).parameters for t in (sg, torch))
    assert [(p.name, p.kind, p.default) for p in ours.values()] == [
        (p.name, p.kind, p.default) for p in theirs.values()
    ]
