"""What a call on masked tensors gives, by the kind of op: numbers under the same mask, reductions, or both moved."""

import functools
from collections.abc import Callable
from typing import Any

from ...generated.registry import OPS
from ...runtime.dispatch.registry import Op
from ...runtime.extensions.masked import along_dim, reductions
from ...runtime.extensions.pytree.maps import tree_map
from ...runtime.methods.queries import equal
from ...runtime.namespace import op
from ...runtime.tensor.tensor import TensorBase
from .tensor import MaskedTensor, made

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
