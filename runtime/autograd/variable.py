"""`Variable`: how programs that are older than PyTorch 0.4 ask for gradients."""

from __future__ import annotations

from typing import Any

from ..creation import empty
from ..errors import type_name, warn_user
from ..tensor.base import TensorBase


class _AllTensors(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TensorBase)


class Variable(metaclass=_AllTensors):
    """A leaf of the graph over the memory of a tensor. The result is a Tensor, and every tensor counts as a Variable.

    Args:
        data: the tensor; an empty one when left out.
        requires_grad: whether gradients are computed for it.
        volatile: has no effect; use `no_grad`.

    Raises:
        TypeError: `data` is not a Tensor.
        RuntimeError: gradients are required but `data` is neither floating-point nor complex.

    Example:
        >>> import specgrad as sg
        >>> sg.autograd.Variable(sg.ones(2), requires_grad=True)
        tensor([1., 1.], requires_grad=True)
        >>> isinstance(sg.ones(2), sg.autograd.Variable)
        True
    """

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool = False) -> Any:
        if data is None:
            data = empty(0)
        if not isinstance(data, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(data)}")
        if volatile:
            warn_user("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        source: Any = data
        return source.detach().requires_grad_(bool(requires_grad))
