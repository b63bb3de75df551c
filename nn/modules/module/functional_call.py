"""Calling a module with other parameters than its own: what turns a Module into a function for transforms."""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Any

from ....runtime.errors import type_name
from ....runtime.namespace import op
from ....runtime.tensor.tensor import TensorBase

_NOTHING = object()  # where a module has no tensor


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
        parameter_and_buffer_dicts: dotted names to tensors; one dictionary, or several with different names. Where
            the call assigns to a buffer, one dictionary has the new value afterwards.
        args: the positional arguments of the call: a tuple, or one value.
        kwargs: the keyword arguments of the call.
        tie_weights: whether a tensor given for one name of a shared parameter stands for its other names too.
        strict: whether every parameter and buffer must be given, and no other name.

    Raises:
        ValueError: a name stands in two of the dictionaries.
        RuntimeError: `strict`, and names are missing or unknown.

    Example:
        >>> layer = sg.nn.Linear(2, 1)
        >>> zero = {name: sg.zeros_like(p) for name, p in layer.named_parameters()}
        >>> sg.func.functional_call(layer, zero, (sg.ones(1, 2),))
        tensor([[0.]])
    """
    value = _merged(parameter_and_buffer_dicts)
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with reparametrized(module, value, tie_weights, strict):
        return module(*positional, **(kwargs or {}))


def _merged(dicts: Any) -> Any:
    if isinstance(dicts, Mapping):
        return dicts
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
def reparametrized(module: Any, arg: Any, tie_weights: bool, strict: bool) -> Iterator[None]:
    """Replace members by the given tensors, and restore them at the end; `given` then has what the call left."""
    own = dict(module.named_parameters(remove_duplicate=False)) | dict(module.named_buffers(remove_duplicate=False))
    values = _tied(arg, own) if tie_weights else arg
    if strict:
        _check_names(module, values, own)
    for name, value in values.items():
        if not (value is None or isinstance(value, TensorBase)):
            raise TypeError(f"functional_call(): {name}: {value} is not an instance of Tensor")
    targets = {name: _parent_of(module, name) for name in values}
    before = {name: table.get(key, _NOTHING) for name, (table, key) in targets.items()}
    try:
        for name, (table, key) in targets.items():
            table[key] = values[name]
        yield
    finally:
        left = {name: table.get(key, _NOTHING) for name, (table, key) in targets.items()}
        for name, (table, key) in targets.items():
            _put(table, key, before[name])
        if isinstance(arg, MutableMapping):
            arg.update({name: left[name] for name in arg if left[name] is not _NOTHING})


def _parent_of(module: Any, name: str) -> tuple[dict[str, Any], str]:
    path, _, key = name.rpartition(".")
    owner = module.get_submodule(path)
    tables = [table for table in (owner._parameters, owner._buffers) if key in table]
    return (tables[0] if tables else vars(owner)), key


def _put(table: dict[str, Any], key: str, value: Any) -> None:
    if value is _NOTHING:
        table.pop(key, None)
    else:
        table[key] = value


def _check_names(module: Any, value: Any, own: Mapping[str, Any]) -> None:
    lines = []
    for problem, names in (("Unexpected", value.keys() - own.keys()), ("Missing", own.keys() - value.keys())):
        if names:
            lines.append(f"\n\t{problem} key(s): {', '.join(map(repr, sorted(names)))}.")
    if lines:
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:{''.join(lines)}")


def _tied(arg: Any, own: Mapping[str, Any]) -> dict[str, Any]:
    names: dict[int, list[str]] = {}
    for name, tensor in own.items():
        names.setdefault(id(tensor), []).append(name)
    result = dict(arg)
    for shared in names.values():
        values = [arg[name] for name in shared if name in arg]
        if any(value is not values[0] for value in values):
            raise ValueError(f"functional_call(): {shared} are one tensor in the module, but different ones were given")
        result |= {name: values[0] for name in shared if values}
    return result


def stack_module_state(models: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and buffers of several models of one kind, stacked along a first dimension, for `vmap`.

    Args:
        models: modules of the same class and mode.

    Returns: (parameters, buffers), dictionaries from dotted name to a tensor with one dimension more.

    Raises: RuntimeError: no models, or they differ in class or mode.

    Example:
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
    required = {t.requires_grad for t in tensors}
    if len(required) > 1:
        raise RuntimeError(
            "stack_module_state: Expected parameters to have the same .requires_grad state in all models"
        )
    return op.stack([t.detach() for t in tensors], 0)._requiring_grad(required.pop())
