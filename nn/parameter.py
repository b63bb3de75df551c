"""Parameter, a tensor that a Module registers and learns; and parameters and buffers without a size yet."""

from collections.abc import Sequence
from typing import Any

from ..generated.tensor import Tensor
from ..runtime.errors import ArgumentError, type_name
from ..runtime.extensions.serialization.json_format import register_tensor_class
from ..runtime.methods.argument_guard import explained
from ..runtime.ops.creation import empty
from ..runtime.tensor.dtype_views import unmarked
from ..runtime.tensor.overrides import disabled, overrides


class _ParameterMeta(type(Tensor)):  # type: ignore[misc]
    """Makes `isinstance(x, Parameter)` true also for the tensors of other classes that Parameter marks."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that a Module learns: assigned as an attribute, it appears in `Module.parameters()`.

    It shares memory with `data`. Operations on parameters give plain Tensors. A tensor of a subclass with a
    `__torch_function__` keeps its class, and is marked as a parameter.

    Args:
        data: the values; an empty tensor when left out.
        requires_grad: whether gradients are computed for it.

    Raises:
        TypeError: `data` is not a Tensor.
        RuntimeError: gradients are required but `data` is neither floating-point nor complex.

    Example:
        >>> sg.nn.Parameter(sg.ones(2))
        Parameter containing:
        tensor([1., 1.], requires_grad=True)
    """

    __slots__ = ()
    __torch_function__ = disabled

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> "Parameter":
        if data is None:
            data = empty(0)
        if not isinstance(data, Tensor):
            raise TypeError(f"Parameter(): argument 'data' must be Tensor, not {type_name(data)}")
        parameter = unmarked(data.detach())
        if overrides(type(data)):
            return _with_flags(data, parameter, requires_grad)
        parameter.__class__ = cls
        return parameter._requiring_grad(requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Parameter":
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


def _with_flags(data: Any, parameter: Any, requires_grad: bool) -> Any:
    if type(parameter) is not type(data):
        raise RuntimeError(
            f"Creating a Parameter from an instance of type {type_name(data)} requires that detach() returns an "
            f"instance of the same type, but return type {type_name(parameter)} was found instead."
        )
    parameter._requiring_grad(requires_grad)._is_param = True
    return parameter


register_tensor_class("Parameter", Parameter)


_NOT_YET = (
    "Attempted to use an uninitialized parameter or buffer. This error happens when you are using a `LazyModule` or "
    "explicitly manipulating `specgrad.nn.parameter.UninitializedParameter` objects. When using LazyModules call "
    "`forward` with a dummy batch to initialize the parameters before calling specgrad functions"
)


def _unknown(self: Any) -> Any:
    raise ValueError(_NOT_YET)


class _Uninitialized(Tensor):
    """A tensor without a size: whatever asks for its memory or its shape is an error."""

    __slots__ = ()
    cls_to_become: type[Tensor]
    __torch_function__ = disabled

    _flat = _shape = _storage = _array = _strides = property(_unknown)

    @explained
    def materialize(self, shape: Sequence[int], device: Any = None, dtype: Any = None) -> None:
        """Become a tensor of a `shape`, without particular values; `device` and `dtype` are its own when not given."""
        kind, target_device = dtype or self._dtype, device or self._device
        self.__class__ = self.cls_to_become  # type: ignore[assignment]
        self.data = empty(tuple(shape), device=target_device, dtype=kind)

    @property
    def shape(self) -> Any:
        """Refused: there is none yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    @property
    def data(self) -> Any:
        """An empty tensor of the dtype; assigning one takes over its dtype and device."""
        return empty(0, device=self._device, dtype=self._dtype)

    @data.setter
    def data(self, value: Any) -> None:
        self._dtype, self._device = value.dtype, value.device

    def detach(self) -> Any:
        """The tensor itself: there are no values to share."""
        return self

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Another one, for another dtype or device; arguments as of `Tensor.to`."""
        like = self.data.to(*args, **kwargs)
        return type(self)(self.requires_grad, like.device, like.dtype)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self._device, self._dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.requires_grad, None, self._dtype)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(_Uninitialized, Parameter):
    """A parameter whose size is not known yet: `materialize` gives it one, and makes it a Parameter.

    Args:
        requires_grad: whether gradients are computed for it.
        device, dtype: where it is going to lie, and its dtype.

    Example:
        >>> p = sg.nn.UninitializedParameter()
        >>> p.materialize((2, 3))
        >>> type(p).__name__, p.shape
        ('Parameter', specgrad.Size([2, 3]))
    """

    __slots__ = ()
    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        made: Any = empty(0, device=device, dtype=dtype)._requiring_grad(requires_grad)
        made.__class__ = cls
        return made

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        """All is done by `__new__`."""


class UninitializedBuffer(_Uninitialized):
    """A buffer whose size is not known yet: `materialize` gives it one, and makes it a Tensor.

    Args:
        requires_grad: whether gradients are computed for it.
        device, dtype: where it is going to lie, and its dtype.
        persistent: whether it is part of its module's `state_dict`.

    Example:
        >>> sg.nn.UninitializedBuffer(dtype=sg.float64)
        <UninitializedBuffer>
    """

    __slots__ = ()
    cls_to_become = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        made: Any = empty(0, device=device, dtype=dtype).requires_grad_(requires_grad)
        made.__class__ = cls
        made.persistent, made._is_buffer = persistent, True
        return made

    def __init__(
        self, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> None:
        """All is done by `__new__`."""


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer, `param`, has no size yet."""
    return isinstance(param, _Uninitialized)


class _BufferMeta(type(Tensor)):  # type: ignore[misc]
    """Makes `isinstance(x, Buffer)` true for the plain tensors that Buffer marks."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that belongs to a Module without being learned: assigned, it appears in `Module.buffers()`.

    The result is a plain Tensor that shares memory with `data` and carries a mark.

    Args:
        data: the values; an empty tensor when left out.
        persistent: whether the buffer is part of the module's `state_dict`.

    Example:
        >>> module = sg.nn.Module()
        >>> module.mean = sg.nn.Buffer(sg.zeros(2))
        >>> list(module.state_dict())
        ['mean']
    """

    __slots__ = ()
    __torch_function__ = disabled
    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = empty(0)
        if not isinstance(data, Tensor):
            raise TypeError(f"Buffer(): argument 'data' must be Tensor, not {type_name(data)}")
        buffer: Any = data.detach().requires_grad_(data.requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer


_NAMES = {"device", "dtype", "memory_format"}


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """The arguments for new tensors among those of a layer, which may be in a dict called `factory_kwargs`.

    Args:
        kwargs: `device`, `dtype`, `memory_format` and `factory_kwargs`.

    Raises: TypeError: another name, or one given twice.

    Example:
        >>> sg.nn.factory_kwargs({"dtype": sg.float64})
        {'dtype': specgrad.float64}
    """
    if kwargs is None:
        return {}
    if not isinstance(kwargs, dict):
        raise ArgumentError(f"factory_kwargs(): argument 'kwargs' must be dict, not {type_name(kwargs)}")
    inner = dict(kwargs.get("factory_kwargs", {}))
    own = {name: value for name, value in kwargs.items() if name != "factory_kwargs"}
    if unexpected := (own.keys() | inner.keys()) - _NAMES:
        raise TypeError(f"unexpected kwargs {unexpected}")
    if twice := own.keys() & inner.keys():
        raise TypeError(f"{min(twice)} specified twice, in **kwargs and in factory_kwargs")
    return own | inner
