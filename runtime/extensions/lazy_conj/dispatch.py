"""Calls of ops with marked tensors: a view is marked as well, and any other op gets what the tensors show.

An op that writes to one computes on a copy of what it shows, which is then stored.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ...dispatch.errors import entry_of
from ...tensor.dtype_views import origin_of
from ...tensor.grad_mode import mode
from ...tensor.memory_overlap import check_single
from ...tensor.observers import NOT_HANDLED, run_itself
from ...tensor.overrides import parameters
from ...tensor.tensor import TensorBase
from .memory import lazy_view, relaid, resolved, standing, storage_of, store

Function = Callable[..., Any]


@dataclass(slots=True)
class Call:
    name: str
    function: Function
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @property
    def first(self) -> Any:
        return self.args[0]

    def on(self, first: Any) -> Any:
        others = [shown(value) for value in self.args[1:]]
        return run_itself(self.function, first, *others, **{name: shown(v) for name, v in self.kwargs.items()})


def answer(name: str, function: Function, args: Any, kwargs: Any) -> Any:
    """NOT_HANDLED without a marked tensor among the arguments."""
    if not (has_lazy_conj(args) or (kwargs and has_lazy_conj(kwargs.values()))):
        return NOT_HANDLED
    position = out_position(function)
    if 0 <= position == len(args) - 1:
        args, kwargs = args[:position], {**kwargs, "out": args[position]}
    call = Call(name, function, args, kwargs)
    if kwargs and has_lazy_conj((kwargs.get("out"),)):
        return written_out(call)
    return (rule_of(name, function) if is_lazy_conj(args[0]) else computed)(call)


@functools.cache
def out_position(function: Function) -> int:
    names = list(parameters(function))
    return names.index("out") if "out" in names else -1


def is_lazy_conj(value: Any) -> bool:
    return isinstance(value, TensorBase) and value.lazy_conj


def has_lazy_conj(values: Any) -> bool:
    for value in values:
        kind = value.__class__
        if getattr(kind, "lazy_conj", False) or ((kind is tuple or kind is list) and has_lazy_conj(value)):
            return True
    return False


def shown(value: Any) -> Any:
    kind = value.__class__
    if kind is tuple or kind is list:
        return kind(map(shown, value))
    return resolved(value) if getattr(kind, "lazy_conj", False) else value


@functools.cache
def rule_of(name: str, function: Function) -> Callable[[Call], Any]:
    entry = entry_of(function.__module__, name)
    writes = function.__name__[-1] == "_" or (entry is not None and "Tensor(a!) " in entry.schema)
    if entry is None:
        return written if writes else computed
    is_view = "Tensor(a) " in entry.schema
    if is_view and writes:
        return with_layout
    if writes:
        return written if entry.replaces else written_singly
    if entry.conj_rule:
        return getattr(import_module(".rules", __package__), entry.conj_rule)
    return viewed if is_view else computed


def computed(call: Call) -> Any:
    first = call.args[0] if call.args else None
    if call.function.__name__[-1] == "_" and first.__class__ in (tuple, list) and has_lazy_conj(first):
        raise RuntimeError(
            f"{call.name}(): the fallback doesn't support mutable TensorLists with conjugate or negative inputs. "
            "Please materialize all the input tensor(s) of the mutable TensorList before calling it"
        )
    return run_itself(call.function, *map(shown, call.args), **{name: shown(v) for name, v in call.kwargs.items()})


def viewed(call: Call) -> Any:
    """What is no view is computed of what the tensor shows."""
    return lazy_conj_view(call, call.first.conjugated, call.first.negated)


def lazy_conj_view(call: Call, conjugated: bool, negated: bool) -> Any:
    first = call.first
    plain = standing(first)
    made = call.on(plain)
    results_tuple = made if made.__class__ in (tuple, list) else (made,)
    if any(view is not plain and not is_over(view, first) for view in results_tuple):
        return computed(call)
    matches = [first if view is plain else lazy_view(view, conjugated, negated) for view in results_tuple]
    if first._tangent is not None:
        follow_tangents(call, matches)
    return matches[0] if results_tuple is not made else type(made)(matches)


def is_over(view: Any, tensor: Any) -> bool:
    return origin_of(storage_of(view)) is origin_of(storage_of(tensor))


def follow_tangents(call: Call, views: list[Any]) -> None:
    for level, tangent in call.first._tangent.items():
        made = call.function(tangent, *map(shown, call.args[1:]), **call.kwargs)
        for view, part in zip(views, made if made.__class__ in (tuple, list) else (made,), strict=True):
            view._tangent = {**(view._tangent or {}), level: part}


def written(call: Call) -> Any:
    copy = resolved(call.first)
    result = call.on(copy)
    store(call.first, copy)
    return call.first if result is copy else result


def written_singly(call: Call) -> Any:
    check_single(call.function.__name__, standing(call.first))
    return written(call)


def written_out(call: Call) -> Any:
    value = call.kwargs["out"]
    results_tuple = value if value.__class__ in (tuple, list) else (value,)
    copies = [resolved(tensor) for tensor in results_tuple]
    call.kwargs = {**call.kwargs, "out": copies[0] if results_tuple is not value else type(value)(copies)}
    result = run_itself(call.function, *map(shown, call.args), **call.kwargs)
    for tensor, copy in zip(results_tuple, copies, strict=True):
        if tensor is not copy:
            store(tensor, copy)
    return value if result.__class__ is value.__class__ or results_tuple is not value else result


def with_layout(call: Call) -> Any:
    """A view op in place: the tensor itself gets the layout."""
    result = relaid(call.first, call.on)
    if result._requires_grad and not mode.grad:
        import_module("...autograd.dtype_regions", __package__).follow_base(result, result._base)
    return result
