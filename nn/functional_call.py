"""Calling a module with other parameters than its own: what turns a Module into a function for transforms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..runtime.errors import type_name
from ..runtime.namespace import op
from ..runtime.tensor import TensorBase


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """The output of a module in which parameters and buffers are replaced by the given tensors during the call.

    Args:
        module: the module to call.
        parameter_and_buffer_dicts: dotted names to tensors; one dictionary, or several with different names.
        args: the positional arguments of the call: a tuple, or one value.
        kwargs: the keyword arguments of the call.
        tie_weights: whether a tensor given for one name of a shared parameter stands for its other names too.
        strict: whether every parameter and buffer must be given, and no other name.

    Raises:
        ValueError: a name stands in two of the dictionaries.
        RuntimeError: `strict`, and names are missing or unknown.

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.Linear(2, 1)
        >>> zero = {name: sg.zeros_like(p) for name, p in layer.named_parameters()}
        >>> sg.func.functional_call(layer, zero, (sg.ones(1, 2),))
        tensor([[0.]])
    """
    given = _merged(parameter_and_buffer_dicts)
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with _swapped(module, given, tie_weights, strict):
        return module(*positional, **(kwargs or {}))


def _merged(dicts: Any) -> dict[str, Any]:
    if isinstance(dicts, Mapping):
        return dict(dicts)
    if not isinstance(dicts, Sequence) or not all(isinstance(d, Mapping) for d in dicts):
        raise ValueError(
            "functional_call(): Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type_name(dicts)}"
        )
    names = [name for d in dicts for name in d]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(
            f"functional_call(): {repeated} appeared in multiple dictionaries; behavior of such a call is ambiguous"
        )
    return {name: value for d in dicts for name, value in d.items()}


@contextmanager
def _swapped(module: Any, given: dict[str, Any], tie_weights: bool, strict: bool) -> Iterator[None]:
    """Put the tensors in their places, and in the end the module's own back, also those that the call replaced."""
    places = _places(module)
    if strict:
        _check_names(given, places)
    if tie_weights:
        given = _tied(given, places)
    for name, value in given.items():
        if name in places and not isinstance(value, TensorBase):
            raise TypeError(f"functional_call(): expected {name} to be a Tensor, but got {type_name(value)}")
    before = [(*places[name], places[name][0][places[name][1]]) for name in given if name in places]
    try:
        for name in given:
            if name in places:
                table, key = places[name]
                table[key] = given[name]
        yield
    finally:
        for table, key, value in before:
            table[key] = value


def _places(module: Any) -> dict[str, tuple[dict[str, Any], str]]:
    """Where each parameter and buffer is kept: (table of its module, its name there), by dotted name."""
    found = {}
    for prefix, owner in module.named_modules(remove_duplicate=False):
        for table in (owner._parameters, owner._buffers):
            for key in table:
                found[f"{prefix}.{key}" if prefix else key] = (table, key)
    return found


def _check_names(given: dict[str, Any], places: Mapping[str, Any]) -> None:
    own = {name for name, (table, key) in places.items() if table[key] is not None}
    missing, unexpected = sorted(own - given.keys()), sorted(given.keys() - places.keys())
    problems = [f"Missing key(s): {', '.join(missing)}."] * bool(missing)
    problems += [f"Unexpected key(s): {', '.join(unexpected)}."] * bool(unexpected)
    if problems:
        raise RuntimeError("Error(s) in functional_call: " + " ".join(problems))


def _tied(given: dict[str, Any], places: Mapping[str, Any]) -> dict[str, Any]:
    """The given tensors, also under the other names of parameters that a module holds more than once."""
    names: dict[int, list[str]] = {}
    for name, (table, key) in places.items():
        if table[key] is not None:
            names.setdefault(id(table[key]), []).append(name)
    result = dict(given)
    for shared in names.values():
        values = [given[name] for name in shared if name in given]
        if any(value is not values[0] for value in values):
            raise ValueError(f"functional_call(): {shared} are one tensor in the module, but different ones were given")
        result |= {name: values[0] for name in shared if values}
    return result


def stack_module_state(models: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and buffers of several models of one kind, stacked along a first dimension, for `vmap`.

    Args:
        models: modules of the same class and mode.

    Returns:
        (parameters, buffers), dictionaries from dotted name to a tensor with one dimension more.

    Raises:
        RuntimeError: no models, or they differ in class or mode.

    Example:
        >>> import specgrad as sg
        >>> params, _ = sg.func.stack_module_state([sg.nn.Linear(2, 1) for _ in range(3)])
        >>> params["weight"].shape
        specgrad.Size([3, 1, 2])
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = _stacked([dict(m.named_parameters()) for m in models])
    buffers = _stacked([dict(m.named_buffers()) for m in models])
    return parameters, buffers


def _stacked(tables: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {name: _as_leaf([table[name] for table in tables]) for name in tables[0]}


def _as_leaf(tensors: Sequence[Any]) -> Any:
    """The stack of tensors, a leaf that requires grad where they all do."""
    required = {t.requires_grad for t in tensors}
    if len(required) > 1:
        raise RuntimeError(
            "stack_module_state: Expected parameters to have the same .requires_grad state in all models"
        )
    return op.stack([t.detach() for t in tensors], 0).requires_grad_(required.pop())
