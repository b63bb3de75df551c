"""Several gradients or tangents at once: `vmap` over backward or forward mode must give what a loop gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...namespace import op
from ..backward import grad
from ..forward.dual import dual_level, make_dual, unpack_dual
from .case import Case
from .jacobians import random_like, tensor_like
from .report import GradcheckError

COUNT = 2  # so many gradients are tried at once
FAILED = (
    "gradcheck or gradgradcheck failed while testing batched gradient computation{}: under vmap it must give what it "
    "gives for one after the other. {}=False leaves this check out."
)
BACKWARD = FAILED.format("", "check_batched_grad")
FORWARD = FAILED.format(" with forward-mode AD", "check_batched_forward_grad")


def check_batched_backward(case: Case, outputs: Sequence[Any]) -> None:
    """Backward of each output, for several gradients of it at once."""
    for j, output in enumerate(outputs):

        def backward(v: Any, output: Any = output) -> tuple[Any, ...]:
            return grad(output, case.wanted, v, retain_graph=True, allow_unused=True, materialize_grads=True)

        got, expected = _both_ways(backward, output, BACKWARD)
        for i, pair in enumerate(zip(got, expected, strict=True)):
            _compare(*pair, j, i, BACKWARD)


def check_batched_forward(case: Case) -> None:
    """Forward mode in each input, for several tangents of it at once."""
    for i, x in enumerate(case.wanted):

        def forward(tangent: Any, x: Any = x) -> tuple[Any, ...]:
            with dual_level():
                dual = make_dual(x, tangent)
                outputs = case.outputs([dual if given is x else given for given in case.inputs])
                pairs = [unpack_dual(output) for output in outputs]
                return tuple(op.zeros_like(primal) if t is None else t for primal, t in pairs)

        got, expected = _both_ways(forward, x, FORWARD)
        for j, pair in enumerate(zip(got, expected, strict=True)):
            _compare(*pair, j, i, FORWARD)


def _both_ways(function: Callable[[Any], tuple[Any, ...]], like: Any, message: str) -> tuple[Any, Any]:
    """The results of a function for random tensors like `like`, under vmap and in a loop."""
    from ...batching import vmap  # which imports autograd

    rng = np.random.default_rng(42)
    given = [tensor_like(random_like(like, rng), like) for _ in range(COUNT)]
    expected = [op.stack(list(rows)) for rows in zip(*map(function, given), strict=True)]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="There is a performance drop")  # the loop is right, only slow
            return vmap(function)(op.stack(given)), expected
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{message}") from error


def _compare(got: Any, expected: Any, output: int, number: int, message: str) -> None:
    if not np.allclose(got.detach().array, expected.detach().array, rtol=1e-5, atol=1e-5):
        raise GradcheckError(
            f"For output {output} and input {number}:\n\n{message}\n\nGot:\n{got}\n\nExpected:\n{expected}\n"
        )
