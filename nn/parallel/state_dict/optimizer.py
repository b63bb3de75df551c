"""The state of optimizers by the names of the parameters that they change."""

from collections.abc import Iterable, Mapping
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.ops.creation import zeros_like
from ...optim import Optimizer
from ..zero_redundancy import ZeroRedundancyOptimizer, settings_of
from .options import Leaves, StateDictOptions, checked, model_of, names_of, optimizers_of, parts, shown, state_of

Optimizers = Optimizer | Iterable[Optimizer]


def _holder(optimizer: Any) -> Any:
    return optimizer.optim if isinstance(optimizer, ZeroRedundancyOptimizer) else optimizer


def begin_state(optimizer: Any) -> None:
    """Give an optimizer the state that it has after its first step, without changing parameters: zero gradients, lr 0.

    Nothing is done to one that has a state, or whose parameters have gradients.
    """
    groups = optimizer.param_groups
    chosen = [one for group in groups for one in group["params"] if one.requires_grad]
    if optimizer.state or any(one.grad is not None for one in chosen):
        return
    before = [group.get("lr") for group in groups]
    for one in chosen:
        one.grad = zeros_like(one)
    for group, rate in zip(groups, before, strict=True):
        if rate is not None:
            group["lr"] = zeros_like(rate) if isinstance(rate, Tensor) else 0.0
    optimizer.step()
    for group, rate in zip(groups, before, strict=True):
        if rate is not None:
            group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)


def _own(model: Any, optimizer: Any, options: StateDictOptions) -> tuple[Leaves, list[dict[str, Any]]]:
    names, holder = names_of(model), _holder(optimizer)
    begin_state(holder)
    leaves: Leaves = {}
    for parameter, retained in holder.state.items():
        mark = getattr(parameter, "of_these_rows", lambda value: value)
        if parameter.requires_grad or not options.ignore_frozen_params:
            for entry, value in retained.items():
                leaves[names[id(parameter)], entry] = mark(value)
    groups = [
        {**settings_of(group), "params": [names[id(parameter)] for parameter in group["params"]]}
        for group in optimizer.param_groups
    ]
    return leaves, groups


def get_optimizer_state_dict(
    model: Any,
    optimizers: Optimizers,
    *,
    submodules: Iterable[Any] | None = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:
    """The state of optimizers by the names of parameters in the model; all ranks call this.

    An optimizer without a state gets the one that a first step begins with, so that a checkpoint can be loaded into it.
    Of a ZeroRedundancyOptimizer each rank gives the state that it has.

    Args:
        model: the model.
        optimizers: its optimizer, or several.
        submodules: None.
        options: what the state is to look like.

    Returns: A dict of "state", by name of the parameter, and "param_groups", whose "params" are names.

    Raises:
        TypeError: the model is no Module, or an optimizer none.
        NotImplementedError: `submodules` are asked for.
    """
    if submodules is not None:
        raise NotImplementedError("get_optimizer_state_dict: submodules are not supported; leave it out")
    chosen, call = checked(options), "get_optimizer_state_dict"
    model_of(call, model)
    leaves: Leaves = {}
    groups: list[dict[str, Any]] = []
    for optimizer in optimizers_of(call, optimizers):
        own, own_groups = _own(model, optimizer, chosen)
        leaves.update(own)
        groups += own_groups
    result = shown(leaves, chosen)
    if leaves and not result:  # of another rank than the one that has the whole state
        return {}
    state: dict[str, Any] = {}
    for (name, entry), value in result.items():
        state.setdefault(name, {})[entry] = value
    if chosen.flatten_optimizer_state_dict:
        return _flat(state, groups)
    return {"state": state, "param_groups": groups}


def _flat(state: dict[str, Any], groups: list[dict[str, Any]]) -> dict[str, Any]:
    """The state under names such as "state.weight.exp_avg" and "param_groups.weight.lr"."""
    results = {f"state.{name}.{entry}": value for name, retained in state.items() for entry, value in retained.items()}
    for group in groups:
        for name in group["params"]:
            results.update({f"param_groups.{name}.{setting}": value for setting, value in settings_of(group).items()})
    return results


def _read(arguments: Mapping[str, Any], names: set[str]) -> tuple[Leaves, dict[str, dict[str, Any]]]:
    leaves: Leaves = {}
    settings: dict[str, dict[str, Any]] = {}
    if "param_groups" in arguments:
        for name, retained in arguments.get("state", {}).items():
            leaves.update({(name, entry): value for entry, value in retained.items()})
        for group in arguments["param_groups"]:
            settings.update({name: settings_of(group) for name in group["params"]})
        return leaves, settings
    for key, value in arguments.items():
        kind, _, rest = key.partition(".")
        name = next((name for name in names if rest.startswith(f"{name}.") and "." not in rest[len(name) + 1 :]), None)
        if name is not None and kind == "state":
            leaves[name, rest[len(name) + 1 :]] = value
        elif name is not None:
            settings.setdefault(name, {})[rest[len(name) + 1 :]] = value
    return leaves, settings


def set_optimizer_state_dict(
    model: Any,
    optimizers: Optimizers,
    optim_state_dict: Mapping[str, Any],
    *,
    options: StateDictOptions | None = None,
) -> None:
    """Load a state that `get_optimizer_state_dict` gave, on whatever number of ranks; all ranks call this.

    `optim_state_dict` is that of the `optimizers`, one or several, of `model`; `options` say what it looks like. A
    TypeError where one of them is of another kind; a RuntimeError where a parameter is in no group of the state; a
    ValueError where a whole tensor has another shape.
    """
    chosen, call = checked(options), "set_optimizer_state_dict"
    names = names_of(model_of(call, model))
    value, settings = _read(state_of(call, optim_state_dict), set(names.values()))
    for optimizer in optimizers_of(call, optimizers):
        own, _ = _own(model, optimizer, chosen)
        settings_by_name = {**value, **{(name, None): retained for name, retained in settings.items()}}
        result = parts(own, settings_by_name, chosen)
        _load(optimizer, names, result, chosen.strict)


def _load(optimizer: Any, names: dict[int, str], result: Leaves, strict: bool) -> None:
    settings = {name: value for (name, entry), value in result.items() if entry is None}
    for group in optimizer.param_groups:
        missing = [names[id(one)] for one in group["params"] if names[id(one)] not in settings]
        if missing and strict:
            raise RuntimeError(f"set_optimizer_state_dict(): {missing[0]} is in no group of the state")
    holder = _holder(optimizer)
    state: dict[int, dict[str, Any]] = {}
    groups: list[dict[str, Any]] = []
    number = 0
    for group in holder.param_groups:
        numbers = []
        for parameter in group["params"]:
            name = names[id(parameter)]
            retained = {entry: value for (owner, entry), value in result.items() if owner == name and entry is not None}
            if retained:
                state[number] = retained
            numbers.append(number)
            number += 1
        groups.append({**settings_of(group), "params": numbers})
    holder.load_state_dict({"state": state, "param_groups": groups})
    for group, inner in zip(optimizer.param_groups, holder.param_groups, strict=True):
        saved: dict[str, Any] = next(
            (settings[names[id(one)]] for one in group["params"] if names[id(one)] in settings), {}
        )
        group.update(saved)
        inner.update(saved)
