"""The state of a model by names without wrappers, alone or with that of its optimizers."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...docstrings import completed_from
from .optimizer import Optimizers, get_optimizer_state_dict, set_optimizer_state_dict
from .options import StateDictOptions, checked, clean, model_of, parts, shown, state_of


def _own(model: Any, options: StateDictOptions) -> dict[str, Any]:
    frozen = {id(one): one for one in model.parameters() if options.ignore_frozen_params and not one.requires_grad}
    retained = {name for name, one in model.named_parameters(remove_duplicate=False) if id(one) in frozen}
    state = model.state_dict()
    return {clean(model, name): value for name, value in state.items() if name not in retained}


def get_model_state_dict(
    model: Any, *, submodules: Iterable[Any] | None = None, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """The state of a model by names without wrappers; all ranks call this.

    Args:
        model: the model, sharded or wrapped or not.
        submodules: modules of it whose state is wanted; all when left out.
        options: what the state is to look like.

    Returns: Tensors by name: each rank's rows of sharded ones, or whole ones.

    Raises: TypeError: the model is no Module.

    Example:
        >>> from specgrad.distributed.checkpoint.state_dict import get_model_state_dict
        >>> list(get_model_state_dict(sg.nn.Linear(2, 1)))
        ['weight', 'bias']
    """
    chosen = checked(options)
    own = _own(model_of("get_model_state_dict", model), chosen)
    if submodules is not None:
        own = _inside(model, own, list(submodules), chosen.keep_submodule_prefixes)
    return shown(own, chosen)


def _inside(model: Any, own: dict[str, Any], modules: list[Any], keep: bool) -> dict[str, Any]:
    requested = {id(module) for module in modules}
    prefixes = [clean(model, name) + "." for name, module in model.named_modules() if id(module) in requested]
    return {
        name if keep else name.removeprefix(prefix): value
        for prefix in prefixes
        for name, value in own.items()
        if name.startswith(prefix)
    }


def set_model_state_dict(
    model: Any, model_state_dict: Mapping[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Load a state that `get_model_state_dict` gave, on whatever number of ranks; all ranks call this.

    The `model` is sharded or wrapped or not; `options` say what `model_state_dict` looks like. Returns the names that
    only the model has, and those that only the state has. A TypeError where the model is no Module, or the state no
    dict; a RuntimeError where names or shapes do not match; a ValueError where a whole tensor has another shape.
    """
    chosen, arg = checked(options), state_of("set_model_state_dict", model_state_dict)
    model_of("set_model_state_dict", model)
    full = {name: clean(model, name) for name in model.state_dict()}
    result = parts(_own(model, chosen), arg, chosen)
    by_clean = {short: name for name, short in full.items()}
    state = {by_clean.get(name, name): value for name, value in result.items()}
    return model.load_state_dict(state, strict=chosen.strict and not chosen.ignore_frozen_params)


@completed_from(get_model_state_dict)
def get_state_dict(
    model: Any,
    optimizers: Optimizers,
    *,
    submodules: Iterable[Any] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The states of a model and of its optimizers, as a checkpoint takes them; all ranks call this.

    Args:
        optimizers: its optimizer, or several.

    Returns: The state of the model, and that of the optimizers.

    Example:
        >>> from specgrad.distributed.checkpoint.state_dict import get_state_dict
        >>> model = sg.nn.Linear(2, 1)
        >>> state, optimizer_state = get_state_dict(model, sg.optim.Adam(model.parameters()))
        >>> list(optimizer_state["state"]["bias"])
        ['step', 'exp_avg', 'exp_avg_sq']
    """
    return (
        get_model_state_dict(model, submodules=submodules, options=options),
        get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options),
    )


def set_state_dict(
    model: Any,
    optimizers: Optimizers,
    *,
    model_state_dict: Mapping[str, Any],
    optim_state_dict: Mapping[str, Any],
    options: StateDictOptions | None = None,
) -> Any:
    """Load states that `get_state_dict` gave, on whatever number of ranks; all ranks call this.

    `model_state_dict` is that of `model`, `optim_state_dict` that of `optimizers`, one or several; `options` say what
    they look like. Returns the names that only the model has, and those that only its state has.
    """
    result = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return result
