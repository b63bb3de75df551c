"""`once_differentiable`: a backward that computes outside the graph, and says so when it is differentiated again."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...errors import GraphError
from ...modes.grad_mode import mode, no_grad
from ...tensor.base import TensorBase
from ..node import Node, next_sequence


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a backward that cannot be differentiated again: doing so is an error instead of a wrong result.

    Args:
        backward: the static method `backward` of a Function.

    Example:
        >>> import specgrad as sg
        >>> class Double(sg.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return 2 * x
        ...     @staticmethod
        ...     @sg.autograd.function.once_differentiable
        ...     def backward(ctx, grad):
        ...         return 2 * grad
        >>> x = sg.tensor(1.0, requires_grad=True)
        >>> sg.autograd.grad(Double.apply(x), x)
        (tensor(2.),)
    """

    @functools.wraps(backward)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        recording = mode.grad and any(isinstance(g, TensorBase) and g._rg for g in grads)
        with no_grad():
            found = backward(ctx, *grads)
        if not recording:
            return found
        results = found if isinstance(found, tuple) else (found,)
        marked = tuple([_refuse_second(g) if isinstance(g, TensorBase) else g for g in results])
        return marked if isinstance(found, tuple) else marked[0]

    return wrapper


class Error(Node):
    """The node of a gradient that must not be differentiated again, under PyTorch's name for it."""

    __slots__ = ()

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """Refuse."""
        raise GraphError("trying to differentiate twice a function that was marked with @once_differentiable")


def _refuse_second(grad: Any) -> Any:
    result = grad.detach()
    node = Error.__new__(Error)
    node.sequence, node.hooks, node.metas, node.edges = next_sequence(), None, None, ()
    result._fn, result._rg = node, True
    return result
