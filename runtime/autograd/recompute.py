"""Derivatives of an op with a kernel, by differentiating a function that computes it by other ops.

The kernel runs forward, and backward while nothing is recorded. Under create_graph and in forward mode the function is
run in its place: to any order, in any mode, in batches."""

from collections.abc import Callable, Sequence
from typing import Any

from ..tensor.grad_mode import enable_grad
from ..tensor.history import set_requires_grad
from ..thread_state import mode
from .backward import grad
from .dual import dual_level, make_dual, unpack_dual

Tensors = Sequence[Any]  # of tensors and None


def recompute_vjp(compute: Callable[..., Any], inputs: Tensors, grads: Tensors, *rest: Any) -> tuple[Any, ...]:
    """The gradients of sum_i <grads_i, compute(*inputs, *rest)_i> by each input; recorded if the caller records."""
    args = [None if x is None else _starting_at(x) for x in inputs]
    with enable_grad():
        outputs = compute(*args, *rest)
    pairs = [(output, g) for output, g in zip(outputs, grads, strict=False) if output._requires_grad]
    sources = [x for x in args if x is not None]
    roots, seeds = [output for output, _ in pairs], [g for _, g in pairs]
    result = iter(grad(roots, sources, seeds, create_graph=bool(mode.grad), materialize_grads=True))
    return tuple([None if x is None else next(result) for x in args])


def _starting_at(x: Any) -> Any:
    """As the output of a node of its own: gradients end there, or are recorded on to `x`."""
    start = x.view_as(x)
    set_requires_grad(start, True)
    with enable_grad():
        return start.view_as(start)


def recompute_jvp(compute: Callable[..., Any], primals: Tensors, tangents: Tensors, *rest: Any) -> tuple[Any, ...]:
    with dual_level() as level:
        duals = [p if t is None else make_dual(p, t, level=level) for p, t in zip(primals, tangents, strict=True)]
        return tuple([unpack_dual(output, level=level).tangent for output in compute(*duals, *rest)])
