"""Tensors of which ranks have rows, as whole tensors, and back."""

from __future__ import annotations

from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import empty
from ....runtime.distributed import collectives
from ....runtime.distributed.groups.process_group import ProcessGroup
from ....runtime.distributed.objects import broadcast_object_list
from ....runtime.distributed.rows import place_of, share_out, whole, whole_at
from ....runtime.distributed.world import get_default_group, is_initialized
from .options import StateDictOptions

Leaves = dict[Any, Any]  # by name, or by names


def ranks() -> ProcessGroup | None:
    """All ranks; None where this process is alone."""
    return get_default_group() if is_initialized() else None


def shown(leaves: Leaves, options: StateDictOptions) -> Leaves:
    """Leaves of a state as the options want them."""
    if not options.full_state_dict:
        return {name: _on_host(leaf) if options.cpu_offload else leaf for name, leaf in leaves.items()}
    group = ranks()
    first = group is None or group.rank() == 0
    found = {}
    for name, leaf in leaves.items():
        rows = place_of(leaf)
        if rows is not None:
            leaf = whole_at(leaf, rows, 0) if options.cpu_offload else whole(leaf, rows)
        elif isinstance(leaf, Tensor) and options.cpu_offload:
            leaf = leaf.detach().clone()  # a copy, as those of rows are
        found[name] = _on_host(leaf) if options.cpu_offload and first else leaf
    return found if first or not options.cpu_offload else {}


def _on_host(leaf: Any) -> Any:
    return leaf.cpu() if isinstance(leaf, Tensor) else leaf


def parts(own: Leaves, given: Leaves, options: StateDictOptions) -> Leaves:
    """What this rank needs of a state, of which it has, or the first rank has, whole tensors.

    Args:
        own: the leaves that this rank has, of the same names; tensors say by their place which rows are wanted.
        given: the state.
        options: who has it.

    Raises:
        ValueError: a whole tensor has another shape than those whose rows are wanted.
    """
    group = ranks()
    if not options.full_state_dict:
        return given
    if options.broadcast_from_rank0 and group is not None:
        return _sent(own, given, group)
    return {name: _part(name, own.get(name), leaf) for name, leaf in given.items()}


def _part(name: Any, own: Any, leaf: Any) -> Any:
    rows = place_of(own)
    if rows is None or not isinstance(leaf, Tensor) or place_of(leaf) is not None:
        return leaf
    _check(name, rows.shape, tuple(leaf.shape))
    return leaf.detach()[rows.first : rows.first + rows.count]


def _check(name: Any, wanted: tuple[int, ...], found: tuple[int, ...]) -> None:
    if wanted != found:
        raise ValueError(f"{name}: a whole tensor of shape {list(wanted)} is expected, but one of {list(found)} given")


def _sent(own: Leaves, given: Leaves, group: ProcessGroup) -> Leaves:
    """The first rank's leaves: each rank gets its rows of them, or all."""
    here = group.rank() == 0
    table = [[name, _described(leaf)] for name, leaf in given.items()] if here else []
    told: list[Any] = [table]
    broadcast_object_list(told, group=group, group_src=0)
    found: Leaves = {}
    for name, (is_tensor, *said) in told[0]:
        name = tuple(name) if isinstance(name, list) else name
        if not is_tensor:
            found[name] = said[0]
            continue
        shape, kind = tuple(said[0]), said[1]
        target: Any = own.get(name)
        rows = place_of(target)
        if rows is None:
            made = given[name].detach().contiguous() if here else empty(shape, dtype=kind)
            collectives.broadcast(made, group=group, group_src=0)
        else:
            _check(name, rows.shape, shape)
            made = target.to_local().new_empty(rows.local_shape, dtype=kind)
            share_out(made, rows, given[name] if here else None, 0)
        found[name] = made
    return found


def _described(leaf: Any) -> list[Any]:
    if not isinstance(leaf, Tensor):
        return [False, leaf]
    return [True, list(leaf.shape), leaf.dtype]
