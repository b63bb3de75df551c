"""Gradients and tangents that are zero or missing: both must count as nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backward import grad, zeros_like
from ..custom.function import Function
from .case import Case
from .jacobians import push, random_like, tensor_like
from .report import GradcheckError

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
    """Gradients of zeros are zeros, of the dtype and shape of the inputs."""
    zeros = [zeros_like(output) for output in outputs]
    found = grad(outputs, case.wanted, zeros, retain_graph=True, allow_unused=True)
    for g, x in zip(found, case.wanted, strict=True):
        if g is None:
            continue
        if np.any(g.detach().array != 0):
            raise GradcheckError("backward not multiplied by grad_output")
        if g.dtype is not x.dtype:
            raise GradcheckError(f"grad is incorrect type {g.dtype!r}, not {x.dtype!r}")
        if g.shape != x.shape:
            raise GradcheckError(f"grad is incorrect size {list(g.shape)}, not {list(x.shape)}")


class Undefined(Function):
    """The identity, through which no gradient comes back."""

    @staticmethod
    def forward(ctx: Any, output: Any) -> Any:
        """A copy of the output."""
        return output.clone()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> None:
        """Nothing, whatever the gradient is."""
        return None


def check_undefined_gradients(case: Case, outputs: Sequence[Any]) -> None:
    """Backward gives nothing, or zeros, where gradients of outputs are missing and the others are zeros."""
    every = range(len(outputs))
    for missing in [every, *([j] for j in every if len(outputs) > 1)]:
        roots = [Undefined.apply(output) if j in missing else output for j, output in enumerate(outputs)]
        _expect_nothing(case, roots, f"backward without the gradient of output {', '.join(map(str, missing))}")


def _expect_nothing(case: Case, roots: Sequence[Any], what: str) -> None:
    zeros = [zeros_like(root) for root in roots]
    try:
        found = grad(roots, case.wanted, zeros, retain_graph=True, allow_unused=True)
    except RuntimeError as error:
        raise GradcheckError(REFUSED.format(what, type(error).__name__, error)) from error
    for i, g in enumerate(found):
        if g is not None and np.any(g.detach().array != 0):
            raise GradcheckError(NOT_ZERO.format(what, g, i))


def check_undefined_tangents(case: Case) -> None:
    """An input without a tangent counts as one whose tangent is zeros, whatever the others' tangents are."""
    rng = np.random.default_rng(42)
    directions = [random_like(x, rng) for x in case.wanted]
    for i, x in enumerate(case.wanted):
        zeros, nothing = list(directions), list[Any](directions)
        zeros[i], nothing[i] = np.zeros(x.numel()), None
        pairs = zip(push(case, zeros), push(case, nothing), strict=True)
        for j, ((output, expected), (_, got)) in enumerate(pairs):
            if not np.allclose(expected, got):
                raise GradcheckError(
                    f"Mismatch in tangent values for output with index: {j} when input: {x} has an undefined tangent "
                    f"value.  Got: {tensor_like(got, output)} but expected: {tensor_like(expected, output)}"
                )
