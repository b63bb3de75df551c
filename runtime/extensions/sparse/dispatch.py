"""Calls of ops with sparse tensors: the rule that its entry names computes, or an error says that there is none."""

import functools
import importlib
from collections.abc import Callable, Iterable
from typing import Any

from ...dispatch.errors import entry_of
from ...errors import GraphError
from ...tensor.grad_mode import mode
from ...tensor.history import copy_history
from ...tensor.observers import NOT_HANDLED
from ..vmap.op_call import bind

RULES = ("arithmetic", "elementwise", "shape")  # modules rules_*.py
BACKENDS = {"sparse_coo": "Sparse", "sparse_csr": "SparseCsr", "sparse_csc": "SparseCsc"}

Function = Callable[..., Any]


class Call:
    """A call of an op whose arguments have been bound to the names of the function's parameters."""

    __slots__ = ("arguments", "function", "name")

    def __init__(self, name: str, function: Function, arguments: dict[str, Any]) -> None:
        self.name = name
        self.function = function
        self.arguments = arguments

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    @property
    def op(self) -> str:
        return self.name.partition(".")[0]

    @property
    def writes(self) -> bool:
        return self.function.__name__[-1] == "_"

    @property
    def first(self) -> Any:
        return next(iter(self.arguments.values()))

    def on(self, first: Any, **others: Any) -> Any:
        name = next(iter(self.arguments))
        return self.function(**{**self.arguments, name: first, **others})

    def refused(self) -> NotImplementedError:
        return unsupported(self.op, first_sparse(self.arguments.values()))


def answer(name: str, function: Function, args: Any, kwargs: Any) -> Any:
    """The result of a call with a sparse tensor among its arguments; NOT_HANDLED without one. NotImplementedError: the
    op takes no sparse tensors.
    """
    sparse = first_sparse((*args, *kwargs.values()))
    if sparse is None:
        return NOT_HANDLED
    rule = rule_of(name, function)
    if rule is None or kwargs.get("out") is not None:
        raise unsupported(name, sparse)
    kwargs = {key: value for key, value in kwargs.items() if key != "out"}
    writes = function.__name__[-1] == "_" and name.partition(".")[0][-1] != "_" and args[0] is not None
    if writes and has_pattern(args[0]):
        return written(name, function, args, kwargs, rule)
    return rule(Call(name, function, bound(function, args, kwargs)))


def bound(function: Function, args: Any, kwargs: Any) -> dict[str, Any]:
    """Arguments by name, without the names that a public function has for others, and without `out`."""
    result = bind(function, args, kwargs)
    return {name: value for name, value in result.items() if name not in ("out", "axis", "keepdims")}


def written(name: str, function: Function, args: Any, kwargs: Any, rule: Any) -> Any:
    """An op in place: what the op gives takes the place of the first argument's pattern and values. RuntimeError: a
    leaf that requires grad, or a result of another shape or dtype.
    """
    target, beside = args[0], function.__globals__[function.__name__[:-1]]
    if target._requires_grad and mode.grad and target.is_leaf:
        raise GraphError(
            f"{function.__name__}(): a leaf Variable that requires grad is being used in an in-place operation."
        )
    return overwrite(target, rule(Call(name, beside, bound(beside, args, kwargs))), function.__name__)


def replace(tensor: Any, source: Any) -> None:
    """Give a sparse tensor the pattern and the values of another one; its place in the graph stays."""
    tensor.pattern, tensor.elements = source.pattern, source.elements
    tensor._shape, tensor._dtype, tensor._device = source._shape, source._dtype, source._device


def overwrite(tensor: Any, result: Any, name: str) -> Any:
    """The end of an op in place: the result in the place of what the tensor was, in the graph too. RuntimeError: the
    result has another layout, shape or dtype.
    """
    if result.layout is not tensor.layout or result._shape != tensor._shape:
        raise RuntimeError(
            f"{name}(): expected a result of shape {list(tensor._shape)} and layout {tensor.layout}, but got "
            f"{list(result._shape)} and {result.layout}"
        )
    if result._dtype is not tensor._dtype:
        raise RuntimeError(
            f"{name}(): result type {result._dtype} can't be cast to the desired output type {tensor._dtype}"
        )
    replace(tensor, result)
    if result._requires_grad:
        copy_history(tensor, result)
    tensor._bump_version(name)
    return tensor


def first_sparse(values: Iterable[Any]) -> Any:
    for value in values:
        if has_pattern(value):
            return value
        if value.__class__ in (tuple, list) and (result := first_sparse(value)) is not None:
            return result
    return None


def has_pattern(value: Any) -> bool:
    return getattr(type(value), "has_pattern", False)


def rule_of(name: str, function: Function) -> Callable[[Call], Any] | None:
    noted = getattr(function, "sparse_rule", None)
    if noted is None:
        entry = entry_of(function.__module__, name)
        noted = "" if entry is None else entry.sparse
    return rule_named(noted) if noted else None


@functools.cache
def rule_named(name: str) -> Callable[[Call], Any]:
    modules = (importlib.import_module(f".rules_{module}", __package__) for module in RULES)
    return next(getattr(module, name) for module in modules if hasattr(module, name))


def unsupported(name: str, sparse: Any) -> NotImplementedError:
    backend = BACKENDS.get(sparse.layout.name, "Sparse") + sparse.device.type.upper()
    public = name.partition(".")[0]
    return NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{backend}' backend. {public}(): expected strided "
        f"tensors, but got one of layout {sparse.layout}; use to_dense() first"
    )
