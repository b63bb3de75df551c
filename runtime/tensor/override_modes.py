"""`__torch_function__` of a subclass of `Tensor` that has none, and modes: blocks in which an object is asked."""

import weakref
from collections.abc import Callable
from typing import Any

from ..errors import type_name
from ..namespace import op
from .dtype_views import unmarked
from .observers import NOT_HANDLED, Watcher, watch
from .overrides import DisableTorchFunctionSubclass, of_every_tensor, state
from .tensor import TensorBase, tensor_class

_new = object.__new__
passthrough_functions: list[Any] = []  # what gives the same tensor, or one of another owner: gradients, bases


def torch_function(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Run a call without asking again; tensors that it gives become tensors of the class `cls`.

    Args:
        func: what was called.
        types: the classes of arguments that have a `__torch_function__`.
        args, kwargs: with what it was called.

    Returns:
        The result, NotImplemented where a class of `types` is neither `cls` nor one of its bases."""
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
        return result if func in passthrough_functions else converted(result, cls)


def converted(result: Any, cls: Any) -> Any:
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
        name = cls.__name__ if isinstance(cls, type) else type_name(cls)
        raise TypeError(f"as_subclass(): argument 'cls' must be a subclass of Tensor, not {name}")
    with DisableTorchFunctionSubclass():
        return of_class(op.alias(tensor), cls)


def make_subclass(cls: Any, data: Any, require_grad: bool = False) -> Any:
    """A leaf of a class over the memory of a tensor, outside its graph: `Tensor._make_subclass`.

    Args:
        data: the tensor.
        require_grad: whether gradients are computed for it.
    """
    with DisableTorchFunctionSubclass():
        return of_class(data.detach(), cls)._requiring_grad(require_grad)


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


_NAME = "modes of __torch_function__"


class TorchFunctionMode:
    """A block in which `__torch_function__` of this object is called in the place of functions, methods and properties.

    Inside that call the mode is off, so what it calls is asked of the modes around it, and then of the arguments.

    Example:
        >>> import specgrad as sg
        >>> class Log(sg.overrides.TorchFunctionMode):
        ...     def __torch_function__(self, func, types, args=(), kwargs=None):
        ...         print(func.__name__)
        ...         return func(*args, **(kwargs or {}))
        >>> with Log():
        ...     total = sg.ones(2).sum()
        ones
        sum
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What takes the place of a call.

        Args:
            func: the function, method, or a property's `__get__`.
            types: the classes of arguments that have a `__torch_function__`.
            args, kwargs: with what it was called.
        """
        raise NotImplementedError

    def __enter__(self) -> "TorchFunctionMode":
        _members.enter()
        # Modes are asked before the watchers of ops: see intercept().
        watch.enter(_NAME, Watcher(intercept=lambda call: NOT_HANDLED, order=-1))
        state.modes = [*state.modes, self]
        return self

    def __exit__(self, *error: object) -> None:
        state.modes = state.modes[:-1]
        watch.leave(_NAME)
        _members.leave()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> "TorchFunctionMode":
        """A mode made of these arguments: the older name of the class itself.

        Args:
            *args, **kwargs: those of the class.
        """
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that runs every call as it is."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class _Members:
    """Members of `Tensor` that ask, for as long as some thread has entered a mode."""

    def __init__(self) -> None:
        self.count = 0
        self.undo: Callable[[], None] | None = None

    def enter(self) -> None:
        with watch.lock:
            self.count += 1
            if self.count == 1:
                self.undo = of_every_tensor(tensor_class())

    def leave(self) -> None:
        with watch.lock:
            self.count -= 1
            if not self.count and self.undo is not None:
                self.undo()


_members = _Members()
