"""MaskedTensor: numbers with a mask that is true where one counts, and what a call on it gives by the kind of op."""

import functools
from collections.abc import Callable
from typing import Any

from ..generated.registry import OPS
from ..generated.tensor import Tensor
from ..runtime.dispatch.registry import Op
from ..runtime.errors import ArgumentError, type_name
from ..runtime.extensions.masked import along_dim, reductions
from ..runtime.extensions.pytree.maps import tree_map
from ..runtime.methods.queries import equal
from ..runtime.namespace import op
from ..runtime.tensor.dtypes import bool_
from ..runtime.tensor.overrides import DisableTorchFunctionSubclass
from ..runtime.tensor.tensor import TensorBase
from .docstrings import completed_from

_NO_RULE = "{}(): there is no rule for masked tensors"
_MOVING = ("ops.shape", "methods.indexing", "generated.tensor")  # where functions choose and order elements
_KEEPING = (
    *("methods.mixin", "autograd.tensor_methods", "autograd.backward"),
    *("creation.like", "functional.activation", "functional.dropout"),
)
_ASKING = (
    "tensor.tensor",
    "tensor.host",
    "methods.mixin",
    "autograd.tensor_methods",
    "autograd.backward",
)  # where they say something of a tensor


class MaskedTensor(Tensor):
    """Numbers with a mask: element-wise ops keep it, reductions look at what it keeps, views have both.

    Args:
        data: the numbers.
        mask: bools of the same shape, true where a number counts.
        requires_grad: whether the tensor is a leaf that gets a gradient.

    Raises:
        TypeError: the data is no plain tensor, or the mask has no bools.
        ValueError: data and mask have different shapes.

    Example:
        >>> x = sg.masked.MaskedTensor(sg.tensor([1.0, 2.0, 3.0]), sg.tensor([True, False, True]))
        >>> x.sum().to_tensor(0), (x + 1).to_tensor(0)
        (tensor(4.), tensor([2., 0., 4.]))
    """

    _data: Any
    _mask: Any

    def __new__(cls, data: Any, mask: Any, requires_grad: bool = False) -> "MaskedTensor":
        check(data, mask)
        return made(data.detach()._requiring_grad(requires_grad), mask)

    def __init__(self, data: Any, mask: Any, requires_grad: bool = False) -> None:
        pass  # all is done where it is made

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return answer(func, args, kwargs or {})

    def get_data(self) -> Any:
        """The numbers, those that do not count too."""
        return self._data

    def get_mask(self) -> Any:
        """The mask."""
        return self._mask

    def to_tensor(self, value: Any) -> Any:
        """A plain tensor with `value` where no number counts."""
        return self._data.masked_fill(~self._mask, value)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        with DisableTorchFunctionSubclass():
            shown = lines(self._data.tolist(), self._mask.tolist(), "  ")
        if self._data.ndim == 0:
            return f"MaskedTensor({shown}, {bool(self._mask)})"
        return f"MaskedTensor(\n{shown}\n)"


def made(data: Any, mask: Any) -> MaskedTensor:
    """The masked tensor of these numbers and bools."""
    with DisableTorchFunctionSubclass():
        result = data.detach().as_subclass(MaskedTensor)
    result.__dict__.update(_data=data, _mask=mask)
    return result


def check(data: Any, mask: Any) -> None:
    if not isinstance(data, TensorBase) or isinstance(data, MaskedTensor):
        raise ArgumentError("data must be a Tensor")
    if not isinstance(mask, TensorBase) or isinstance(mask, MaskedTensor):
        raise ArgumentError(f"mask must be a Tensor, not {type_name(mask)}")
    if mask.dtype is not bool_:
        raise ArgumentError("mask must have dtype bool.")
    if data.ndim != mask.ndim:
        raise ValueError("data.dim() must equal mask.dim()")
    if data.shape != mask.shape:
        raise ValueError("data.size() must equal mask.size()")


def lines(data: Any, mask: Any, indent: str) -> str:
    if not isinstance(data, list):
        text = f"{data:8.4f}" if isinstance(data, float) else str(data)
        return text if mask else "      --"
    if not data or not isinstance(data[0], list):
        return f"{indent}[{', '.join(lines(x, m, '') for x, m in zip(data, mask, strict=True))}]"
    inner = ",\n".join(lines(x, m, f"{indent}  ") for x, m in zip(data, mask, strict=True))
    return f"{indent}[\n{inner}\n{indent}]"


@completed_from(MaskedTensor)
def masked_tensor(data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
    """A masked tensor of copies of numbers and bools.

    Args:
        requires_grad: whether the masked tensor is a leaf that gets a gradient, which is masked too.

    Example:
        >>> sg.masked.masked_tensor(sg.tensor([1.0, 2.0]), sg.tensor([True, False]))
        MaskedTensor(
          [  1.0000,       --]
        )
    """
    check(data, mask)
    return made(data.detach().clone()._requiring_grad(requires_grad), mask.clone())


@completed_from(MaskedTensor)
def as_masked_tensor(data: Any, mask: Any) -> MaskedTensor:
    """A masked tensor of numbers that are there; gradients pass to those that count, and zeros to the others.

    Example:
        >>> x = sg.tensor([4.0, -1.0], requires_grad=True)
        >>> sg.masked.as_masked_tensor(x, x > 0).sqrt().sum().to_tensor(0).backward()
        >>> x.grad
        tensor([0.2500, 0.0000])
    """
    check(data, mask)
    return made(op.where(mask, data, data.detach()) if data.requires_grad else data, mask)


def is_masked_tensor(obj: Any, /) -> bool:
    """Whether something is a masked tensor.

    Args:
        obj: what is asked about.

    Example:
        >>> sg.masked.is_masked_tensor(sg.ones(2))
        False
    """
    return isinstance(obj, MaskedTensor)


def answer(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """The result of a call of a function, method, or `__get__` of a property; a NotImplementedError without a rule."""
    name = str(func.__name__)
    module = str(getattr(func, "__module__", ""))
    if name == "__get__":
        return attribute(args[0], func.__self__.fget.__name__)
    entries = _overloads(name)
    is_reflected = name.startswith("__r") and name.endswith("__")  # 1 / x
    if is_reflected or any(entry.kind == "elementwise" for entry in entries or _overloads(name.removesuffix("_"))):
        return pointwise(func, args, kwargs, in_place=not entries and not is_reflected)
    reduced = _function(name, reductions)
    if reduced is not None or name in ("all", "any"):
        return reduce(reduced or func, reduced is not None, *args, **kwargs)
    scanned = _function(name, along_dim)
    if scanned is not None:
        return _along(scanned, *args, **kwargs)
    if any(module.endswith(module_prefix) for module_prefix in _MOVING) or any(
        entry.kind == "view" for entry in entries
    ):
        return both(func, args, kwargs)
    return _with_mask(func, module, args, kwargs)


def attribute(tensor: MaskedTensor, name: str) -> Any:
    value = getattr(tensor._data, name)
    if not isinstance(value, TensorBase):
        return value
    mask = tensor._mask
    return made(value, mask if value.shape == mask.shape else getattr(mask, name))


def pointwise(func: Callable[..., Any], args: Any, kwargs: dict[str, Any], in_place: bool = False) -> MaskedTensor:
    """An op of each number: the masks of several operands have to be the same."""
    matches = [value for value in (*args, *kwargs.values()) if isinstance(value, MaskedTensor)]
    mask = matches[0]._mask
    for other in matches[1:]:
        if other._mask is not mask and not (other._mask.shape == mask.shape and equal(other._mask, mask)):
            raise ValueError("Input masks must match. If you need support for this, please open an issue on Github.")
    result = func(*map(_plain, args), **{name: _plain(value) for name, value in kwargs.items()})
    if in_place:
        return args[0]
    return made(result, mask if mask.shape == result.shape else mask.expand(result.shape))


def reduce(
    function: Callable[..., Any], is_masked: bool, input: MaskedTensor, dim: Any = None, *rest: Any, **kwargs: Any
) -> Any:
    keepdim = bool(kwargs.get("keepdim", rest[0] if rest else False))
    options = {name: value for name, value in kwargs.items() if name not in ("keepdim", "axis")}
    data, mask = input._data, input._mask
    dims = kwargs.get("axis", dim)
    if is_masked:
        result = function(data, dims, keepdim=keepdim, mask=mask, **options)
    else:  # all and any, of which the neutral elements are true and false
        neutral = op.where(mask, data != 0, function.__name__ == "all")
        result = function(neutral) if dims is None else function(neutral, dims, keepdim)
    return made(result, mask.any() if dims is None else mask.any(dims, keepdim))


def _along(function: Callable[..., Any], input: MaskedTensor, *args: Any, **kwargs: Any) -> MaskedTensor:
    arguments = {name: value for name, value in kwargs.items() if name != "_stacklevel" and value is not None}
    return made(function(input._data, *args, mask=input._mask, **arguments), input._mask)


def both(func: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    data = func(*tree_map(_plain, args), **tree_map(_plain, kwargs))
    mask = func(*tree_map(_mask_of, args), **tree_map(_mask_of, kwargs))
    if isinstance(data, tuple | list):
        return type(data)(made(x, m) for x, m in zip(data, mask, strict=True))
    return made(data, mask)


def _with_mask(func: Callable[..., Any], module: str, args: Any, kwargs: dict[str, Any]) -> Any:
    name = getattr(func, "__name__", "")
    tensor = args[0] if args and isinstance(args[0], MaskedTensor) else None
    if (
        tensor is None
        or not any(module.endswith(module_prefix) for module_prefix in (*_KEEPING, *_ASKING))
        or name in ("numpy", "tolist")
    ):
        raise NotImplementedError(_NO_RULE.format(name))
    result = func(tensor._data, *args[1:], **kwargs)
    if result is tensor._data:
        return tensor
    if isinstance(result, TensorBase):
        if result.shape != tensor._data.shape:
            raise NotImplementedError(_NO_RULE.format(name))
        return made(result, tensor._mask)
    return result


def _plain(value: Any) -> Any:
    return value._data if isinstance(value, MaskedTensor) else value


def _mask_of(value: Any) -> Any:
    return value._mask if isinstance(value, MaskedTensor) else value


def _function(name: str, *modules: Any) -> Any:
    result = (vars(module).get(name) for module in modules)
    return next((each for each in result if getattr(each, "__module__", "").find(".masked.") > 0), None)


@functools.cache
def _overloads(name: str) -> tuple[Op, ...]:
    return tuple(entry for entry in OPS if entry.name.partition(".")[0] == name)
