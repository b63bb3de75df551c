"""Tensors of which ranks have rows, as whole tensors, and back."""

from __future__ import annotations

from typing import Any

from ....generated.tensor import Tensor
from ....runtime.extensions.distributed import collectives
from ....runtime.extensions.distributed.groups.process_group import ProcessGroup
from ....runtime.extensions.distributed.objects import broadcast_object_list
from ....runtime.extensions.distributed.shard_rows import row_range_of, share_out, unsharded, unsharded_at
from ....runtime.extensions.distributed.world import get_default_group, is_initialized
from ....runtime.ops.creation import empty
from .options import StateDictOptions

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
