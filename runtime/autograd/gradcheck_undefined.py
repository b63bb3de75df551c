"""Gradients and tangents that are zero or missing: both must count as nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .backward import grad, zeros_like
from .function_node import FunctionNode
from .grad_mode import no_grad
from .gradcheck_case import Case
from .gradcheck_report import GradcheckError
from .jacobians import push, random_like, tensor_like

REFUSED = (
    "Expected backward function to handle undefined output grads: {} raised {}: {}. A gradient that is missing reaches "
    "a custom Function as zeros, or as None after ctx.set_materialize_grads(False). "
    "check_undefined_grad=False leaves this check out."
)
NOT_ZERO = (
    "Expected all input grads to be undefined or zero when all output grads are undefined or zero, but {} gave {}. "
    "check_undefined_grad=False leaves this check out."
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


def check_undefined_gradients(case: Case, outputs: Sequence[Any]) -> None:
    """Backward gives nothing, or zeros, where gradients of outputs are missing and the others are zeros."""
    for node in _custom_nodes(outputs):
        # The engine runs no node that gets no gradient at all, so custom ones are called directly.
        _expect_nothing(f"{node.name()} without any gradient", partial(node, *[None] * node.output_count))
    for j in range(len(outputs) if len(outputs) > 1 else 0):
        others = [output for k, output in enumerate(outputs) if k != j]
        zeros = [zeros_like(output) for output in others]
        backward = partial(grad, others, case.wanted, zeros, retain_graph=True, allow_unused=True)
        _expect_nothing(f"backward without the gradient of output {j}", backward)


def _custom_nodes(outputs: Sequence[Any]) -> list[FunctionNode]:
    """The nodes of custom Functions that backward of the outputs comes to."""
    seen: dict[Any, None] = {}
    stack = [output.grad_fn for output in outputs]
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen[node] = None
            stack.extend(following for following, _ in node.next_functions)
    return [node for node in seen if isinstance(node, FunctionNode)]


def _expect_nothing(what: str, backward: Callable[[], Any]) -> None:
    try:
        with no_grad():
            found = backward()
    except RuntimeError as error:
        raise GradcheckError(REFUSED.format(what, type(error).__name__, error)) from error
    for g in found if isinstance(found, tuple) else (found,):
        if g is not None and np.any(g.detach().array != 0):
            raise GradcheckError(NOT_ZERO.format(what, g))


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
