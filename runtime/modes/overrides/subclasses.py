"""What `__torch_function__` does where a subclass of `Tensor` leaves it as it is: results are of the subclass."""

from __future__ import annotations

import weakref
from typing import Any

from ...namespace import op
from ...tensor.base import TensorBase, tensor_class
from ...tensor.unmarked import unmarked
from .switches import DisableTorchFunctionSubclass

_new = object.__new__
passthrough_functions: list[Any] = []  # what gives the same tensor, or one of another owner: gradients, bases


def torch_function(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Run a call without asking again; tensors that it gives become tensors of the class `cls`.

    Args:
        func: what was called.
        types: the classes of arguments that have a `__torch_function__`.
        args, kwargs: with what it was called.
    Returns:
        The result, NotImplemented where a class of `types` is neither `cls` nor one of its bases.
    """
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
        return result if func in passthrough_functions else converted(result, cls)


def converted(result: Any, cls: Any) -> Any:
    """A tensor, or each of a list, as a tensor of a class."""
    if isinstance(result, TensorBase):
        return result if isinstance(result, cls) else as_subclass(result, cls)
    if isinstance(result, (tuple, list)):
        items = [converted(item, cls) for item in result]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    return result


def as_subclass(tensor: Any, cls: Any) -> Any:
    """A tensor of another class over the same memory, at the same place of the graph: one op behind this one.

    Args:
        tensor: the tensor.
        cls: a subclass of Tensor.
    Raises:
        TypeError: `cls` is none.
    """
    if not (isinstance(cls, type) and issubclass(cls, TensorBase)):
        raise TypeError(f"as_subclass(): argument 'cls' must be a subclass of Tensor, not {cls!r}")
    with DisableTorchFunctionSubclass():
        return of_class(op.alias(tensor), cls)


def make_subclass(cls: Any, data: Any, require_grad: bool = False) -> Any:
    """A leaf of a class over the memory of a tensor, outside its graph: `Tensor._make_subclass`.

    Args:
        data: the tensor.
        require_grad: whether gradients are computed for it.
    """
    with DisableTorchFunctionSubclass():
        return of_class(data.detach(), cls).requires_grad_(require_grad)


def of_class(tensor: Any, cls: Any) -> Any:
    """A tensor that nobody else holds, as one of a class; only plain tensors can be conjugates that are views."""
    if tensor.lazy_conj:
        if cls is tensor_class():
            return tensor
        tensor = unmarked(tensor)
    try:
        tensor.__class__ = cls
        return tensor
    except TypeError:  # the class has slots of its own
        return _moved(tensor, cls)


def _moved(tensor: Any, cls: Any) -> Any:
    made = _new(cls)
    for name in TensorBase.__slots__:
        if name not in ("__dict__", "__weakref__"):
            setattr(made, name, getattr(tensor, name))
    if made._base is not None:
        made._base._views.append(weakref.ref(made))
    return made
