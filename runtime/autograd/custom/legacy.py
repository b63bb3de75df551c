"""Base classes of custom Functions that older programs name."""

from __future__ import annotations

from typing import Any

from .function import Function


class InplaceFunction(Function):
    """A Function, under the name that those which write to their input had; derive from `Function` instead.

    Args:
        inplace: kept as an attribute.

    Example:
        >>> import specgrad as sg
        >>> class Double(sg.autograd.function.InplaceFunction):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.mark_dirty(x)
        ...         return x.mul_(2)
        ...
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return grad * 2
        >>> x = sg.tensor(1.0, requires_grad=True)
        >>> Double.apply(x * 3).backward()
        >>> x.grad
        tensor(6.)
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace: Any = inplace
