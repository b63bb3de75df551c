"""`StateDictOptions`, checks and names of what calls for states are given, and whole tensors of states in parts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.extensions.distributed import collectives
from ....runtime.extensions.distributed.groups.process_group import ProcessGroup
from ....runtime.extensions.distributed.objects import broadcast_object_list
from ....runtime.extensions.distributed.shard_rows import row_range_of, share_out, unsharded, unsharded_at
from ....runtime.extensions.distributed.world import get_default_group, is_initialized
from ....runtime.ops.creation import empty
from ...modules.module import Module
from ...optim import Optimizer
from ..distributed import DistributedDataParallel


@dataclass(frozen=True)
class StateDictOptions:
    """What `get_state_dict` gives, and `set_state_dict` expects.

    Args:
        full_state_dict: whether tensors are whole, instead of each rank's rows.
        cpu_offload: whether tensors lie in the host's memory; with `full_state_dict` the first rank alone gets them.
        ignore_frozen_params: whether parameters without gradients are left out.
        keep_submodule_prefixes: whether names begin at the model, where `submodules` are asked for.
        strict: whether names that only one side has are an error.
        broadcast_from_rank0: with `full_state_dict`, whether only the first rank has the state that is set.
        flatten_optimizer_state_dict: whether an optimizer's state is a flat dict, as older checkpoints want it.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def checked(options: Any) -> StateDictOptions:
    """Options as a call has been given them; a ValueError where a state that the first rank sends is not whole."""
    result = StateDictOptions() if options is None else options
    if not isinstance(result, StateDictOptions):
        raise TypeError(f"argument 'options' must be StateDictOptions, but got {type(options).__name__}")
    if result.broadcast_from_rank0 and not result.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return result


def model_of(call: str, model: Any) -> Any:
    if not isinstance(model, Module):
        raise TypeError(f"{call}(): argument 'model' must be a Module, but got {type(model).__name__}")
    return model


def optimizers_of(call: str, optimizers: Any) -> list[Any]:
    """The optimizers, of which one may be given as it is."""
    listed = list(optimizers) if isinstance(optimizers, list | tuple) else [optimizers]
    for one in listed:
        if not isinstance(one, Optimizer):
            raise TypeError(f"{call}(): argument 'optimizers' must be of Optimizers, but got {type(one).__name__}")
    return listed


def state_of(call: str, state: Any) -> dict[Any, Any]:
    if not isinstance(state, Mapping):
        raise TypeError(f"{call}(): the state_dict must be a dict, but got {type(state).__name__}")
    return dict(state)


WRAPPED = ("_fsdp_wrapped_module", "_checkpoint_wrapped_module", "_orig_mod")


def clean(model: Any, key: str) -> str:
    module, steps = model, []
    for step in key.split("."):
        if not (step in WRAPPED or (step == "module" and isinstance(module, DistributedDataParallel))):
            steps.append(step)
        module = getattr(module, "_modules", {}).get(step)
    return ".".join(steps)


def names_of(model: Any) -> dict[int, str]:
    return {id(parameter): clean(model, name) for name, parameter in model.named_parameters()}


Leaves = dict[Any, Any]  # by name, or by names


def ranks() -> ProcessGroup | None:
    return get_default_group() if is_initialized() else None


def shown(leaves: Leaves, options: StateDictOptions) -> Leaves:
    if not options.full_state_dict:
        return {name: _on_host(leaf) if options.cpu_offload else leaf for name, leaf in leaves.items()}
    group = ranks()
    first = group is None or group.rank() == 0
    results = {}
    for name, leaf in leaves.items():
        rows = row_range_of(leaf)
        if rows is not None:
            leaf = unsharded_at(leaf, rows, 0) if options.cpu_offload else unsharded(leaf, rows)
        elif isinstance(leaf, Tensor) and options.cpu_offload:
            leaf = leaf.detach().clone()  # a copy, as those of rows are
        results[name] = _on_host(leaf) if options.cpu_offload and first else leaf
    return results if first or not options.cpu_offload else {}


def _on_host(leaf: Any) -> Any:
    return leaf.cpu() if isinstance(leaf, Tensor) else leaf


def parts(own: Leaves, value: Leaves, options: StateDictOptions) -> Leaves:
    """What this rank needs of a state, of which it has, or the first rank has, whole tensors.

    The leaves `own` have the same names; tensors say by their place which rows are wanted. A ValueError where a whole
    tensor has another shape than those.
    """
    group = ranks()
    if not options.full_state_dict:
        return value
    if options.broadcast_from_rank0 and group is not None:
        return _sent(own, value, group)
    return {name: _part(name, own.get(name), leaf) for name, leaf in value.items()}


def _part(name: Any, own: Any, leaf: Any) -> Any:
    rows = row_range_of(own)
    if rows is None or not isinstance(leaf, Tensor) or row_range_of(leaf) is not None:
        return leaf
    _check(name, rows.shape, tuple(leaf.shape))
    return leaf.detach()[rows.first : rows.first + rows.count]


def _check(name: Any, requested: tuple[int, ...], result: tuple[int, ...]) -> None:
    if requested != result:
        raise ValueError(
            f"{name}: a whole tensor of shape {list(requested)} is expected, but one of {list(result)} given"
        )


def _sent(own: Leaves, value: Leaves, group: ProcessGroup) -> Leaves:
    here = group.rank() == 0
    table = [[name, _described(leaf)] for name, leaf in value.items()] if here else []
    settings_by_name: list[Any] = [table]
    broadcast_object_list(settings_by_name, group=group, group_src=0)
    results: Leaves = {}
    for name, (is_tensor, *metadata) in settings_by_name[0]:
        name = tuple(name) if isinstance(name, list) else name
        if not is_tensor:
            results[name] = metadata[0]
            continue
        shape, kind = tuple(metadata[0]), metadata[1]
        target: Any = own.get(name)
        rows = row_range_of(target)
        if rows is None:
            made = value[name].detach().contiguous() if here else empty(shape, dtype=kind)
            collectives.broadcast(made, group=group, group_src=0)
        else:
            _check(name, rows.shape, shape)
            made = target.to_local().new_empty(rows.local_shape, dtype=kind)
            share_out(made, rows, value[name] if here else None, 0)
        results[name] = made
    return results


def _described(leaf: Any) -> list[Any]:
    if not isinstance(leaf, Tensor):
        return [False, leaf]
    return [True, list(leaf.shape), leaf.dtype]
