"""Gradients and tangents that are zero, missing, or several at once: invariants that need no differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...autograd.backward import grad, zeros_like
from ...autograd.dual import dual_level, make_dual, unpack_dual
from ...autograd.function import Function
from ...namespace import op
from ...tensor.tensor import host_array
from .case import Case, GradcheckError
from .jacobians import push, random_like, tensor_like

REFUSED = (
    "Expected backward function to handle undefined output grads: {} raised {}: {}. A gradient that is missing reaches "
    "a custom Function as zeros, or as None after ctx.set_materialize_grads(False). "
    "check_undefined_grad=False leaves this check out."
)
NOT_ZERO = (
    "Expected all input grads to be undefined or zero when all output grads are undefined or zero, but {} gave {} for "
    "input {}. check_undefined_grad=False leaves this check out."
)


def check_linear_in_gradient(case: Case, outputs: Sequence[Any]) -> None:
    zeros = [zeros_like(output) for output in outputs]
    result = grad(outputs, case.grad_inputs, zeros, retain_graph=True, allow_unused=True)
    for g, x in zip(result, case.grad_inputs, strict=True):
        if g is None:
            continue
        if np.any(host_array(g) != 0):
            raise GradcheckError("backward not multiplied by grad_output")
        if g.dtype is not x.dtype:
            raise GradcheckError(f"grad is incorrect type {g.dtype!r}, not {x.dtype!r}")
        if g.shape != x.shape:
            raise GradcheckError(f"grad is incorrect size {list(g.shape)}, not {list(x.shape)}")


class Undefined(Function):
    @staticmethod
    def forward(ctx: Any, output: Any) -> Any:
        return output.clone()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> None:
        return None


def check_undefined_gradients(case: Case, outputs: Sequence[Any]) -> None:
    every = range(len(outputs))
    for missing in [every, *([j] for j in every if len(outputs) > 1)]:
        roots = [Undefined.apply(output) if j in missing else output for j, output in enumerate(outputs)]
        what = f"backward without the gradient of output {', '.join(map(str, missing))}"
        zeros = [zeros_like(root) for root in roots]
        try:
            result = grad(roots, case.grad_inputs, zeros, retain_graph=True, allow_unused=True)
        except RuntimeError as error:
            raise GradcheckError(REFUSED.format(what, type(error).__name__, error)) from error
        for i, g in enumerate(result):
            if g is not None and np.any(host_array(g) != 0):
                raise GradcheckError(NOT_ZERO.format(what, g, i))


def check_undefined_tangents(case: Case) -> None:
    """An input without a tangent counts as one whose tangent is zeros, whatever the others' tangents are."""
    rng = np.random.default_rng(42)
    directions = [random_like(x, rng) for x in case.grad_inputs]
    for i, x in enumerate(case.grad_inputs):
        zeros, nothing = list(directions), list[Any](directions)
        zeros[i], nothing[i] = np.zeros(x.numel()), None
        pairs = zip(push(case, zeros), push(case, nothing), strict=True)
        for j, ((output, expected), (_, got)) in enumerate(pairs):
            if not np.allclose(expected, got):
                raise GradcheckError(
                    f"Mismatch in tangent values for output with index: {j} when input: {x} has an undefined tangent "
                    f"value.  Got: {tensor_like(got, output)} but expected: {tensor_like(expected, output)}"
                )


COUNT = 2  # so many gradients are tried at once
FAILED = (
    "gradcheck or gradgradcheck failed while testing batched gradient computation{}: under vmap it must give what it "
    "gives for one after the other. {}=False leaves this check out."
)
BACKWARD = FAILED.format("", "check_batched_grad")
FORWARD = FAILED.format(" with forward-mode AD", "check_batched_forward_grad")


def check_batched_backward(case: Case, outputs: Sequence[Any]) -> None:
    for j, output in enumerate(outputs):

        def backward(v: Any, output: Any = output) -> tuple[Any, ...]:
            return grad(output, case.grad_inputs, v, retain_graph=True, allow_unused=True, materialize_grads=True)

        _check_both_ways(backward, output, BACKWARD, f"output {j} and input {{}}")


def check_batched_forward(case: Case) -> None:
    for i, x in enumerate(case.grad_inputs):

        def forward(tangent: Any, x: Any = x) -> tuple[Any, ...]:
            with dual_level():
                dual = make_dual(x, tangent)
                outputs = case.outputs([dual if value is x else value for value in case.inputs])
                pairs = [unpack_dual(output) for output in outputs]
                return tuple(op.zeros_like(primal) if t is None else t for primal, t in pairs)

        _check_both_ways(forward, x, FORWARD, f"output {{}} and input {i}")


def _check_both_ways(function: Callable[[Any], tuple[Any, ...]], like: Any, message: str, where: str) -> None:
    from ..vmap import vmap

    rng = np.random.default_rng(42)
    args = [tensor_like(random_like(like, rng), like) for _ in range(COUNT)]
    every = [op.stack(list(rows)) for rows in zip(*map(function, args), strict=True)]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="There is a performance drop")  # the loop is right, only slow
            results = vmap(function)(op.stack(args))
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{message}") from error
    for number, (got, expected) in enumerate(zip(results, every, strict=True)):
        if not np.allclose(host_array(got), host_array(expected), rtol=1e-5, atol=1e-5):
            shown = f"{message}\n\nGot:\n{got}\n\nExpected:\n{expected}\n"
            raise GradcheckError(f"For {where.format(number)}:\n\n{shown}")
