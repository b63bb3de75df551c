"""Two tensors that exchange all that they are: memory, class, attributes, place in the graph."""

from __future__ import annotations

import weakref
from typing import Any

from .base import TensorBase, layout_changes

_SLOTS = [name for name in TensorBase.__slots__ if name != "__weakref__"]


def swap_tensors(t1: Any, t2: Any) -> None:
    """Exchange two tensors: whoever holds the one has the other now.

    Args:
        t1, t2: the tensors; nobody refers to them weakly, no graph that is still wanted reaches them as leaves.

    Raises:
        TypeError: one of them is no tensor.
        RuntimeError: somebody refers to one of them weakly.

    Example:
        >>> import specgrad as sg
        >>> a, b = sg.zeros(2), sg.ones(3, dtype=sg.int64)
        >>> swap_tensors(a, b)
        >>> a, b
        (tensor([1, 1, 1]), tensor([0., 0.]))
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        if not isinstance(tensor, TensorBase):
            raise TypeError(f"swap_tensors(): argument '{name}' must be Tensor, not {type(tensor).__name__}")
        if weakref.getweakrefs(tensor):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    retained = [(name, getattr(t1, name), getattr(t2, name)) for name in _SLOTS]
    classes = type(t1), type(t2)
    t1.__class__, t2.__class__ = classes[1], classes[0]
    for name, first, second in retained:
        setattr(t1, name, second)
        setattr(t2, name, first)
    layout_changes[0] += 1  # what native code has found of the one is not true of the other
