"""Collectives of Python objects.

Objects travel as files of `specgrad.save` and are read as `specgrad.load` reads them with `weights_only=True`: what
another rank sends runs no code here. Tensors, numbers, texts, lists, dicts and their like can be sent, and classes that
`specgrad.serialization.add_safe_globals` declares safe.
"""

import io
from typing import Any

import numpy as np

from ...ops.creation import from_numpy
from ..serialization.save_load import load, save
from . import all_to_all, collectives, messages
from .groups.process_group import ProcessGroup
from .world import member_for, rank_in


def _packed(value: Any) -> Any:
    file = io.BytesIO()
    save(value, file)
    return from_numpy(np.frombuffer(file.getvalue(), np.uint8).copy())


def _unpacked(data: Any, size: int) -> Any:
    return load(io.BytesIO(data[:size].numpy().tobytes()), weights_only=True)


def _number(value: int) -> Any:
    return from_numpy(np.array([value], np.int64))


def _bytes(size: int) -> Any:
    return from_numpy(np.zeros(size, np.uint8))


def _sizes(group: ProcessGroup, own: int) -> list[int]:
    every = from_numpy(np.zeros(group.size(), np.int64))
    all_to_all.all_gather_into_tensor(every, _number(own), group)
    return [int(size) for size in every.tolist()]


def _padded(data: Any, size: int) -> Any:
    padded = _bytes(size)
    padded[: data.numel()] = data
    return padded


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Write the objects of all ranks into a list, which has as many entries.

    Args:
        object_list, obj: the list, and this rank's object.
        group: the process group; the default one when left out.

    Raises:
        UnpicklingError: an object of a class that is not declared safe.
    """
    chosen = member_for("all_gather_object", group)
    if chosen is None:
        return
    data = _packed(obj)
    sizes = _sizes(chosen, data.numel())
    every = [_bytes(max(sizes)) for _ in sizes]
    all_to_all.all_gather(every, _padded(data, max(sizes)), chosen)
    for number, (one, size) in enumerate(zip(every, sizes, strict=True)):
        object_list[number] = _unpacked(one, size)


def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: Any = None,
    group_dst: int | None = None,
) -> None:
    """Write the objects of all ranks into a list of one of them.

    Args:
        obj: this rank's.
        object_gather_list: where the result is wanted, a list of as many entries as there are ranks.
        dst, group, group_dst: as of `gather`, as are ValueErrors; UnpicklingErrors as of `all_gather_object`.
    """
    chosen = member_for("gather_object", group)
    if chosen is None:
        return
    root = rank_in("gather_object", chosen, dst, group_dst, 0)
    all_to_all._only_at("gather_list", object_gather_list, chosen.rank() == root, "destination")
    data = _packed(obj)
    sizes = _sizes(chosen, data.numel())
    every = [_bytes(max(sizes)) for _ in sizes] if object_gather_list else None
    all_to_all.gather(_padded(data, max(sizes)), every, group=chosen, group_dst=root)
    if object_gather_list and every:
        object_gather_list[:] = [_unpacked(one, size) for one, size in zip(every, sizes, strict=True)]


def broadcast_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None
) -> None:
    """Write the objects of one rank's list into those of all others.

    Args:
        object_list: the list, equally long on all ranks.
        src, group, group_src: as of `scatter`; UnpicklingErrors as of `all_gather_object`.
        device: not looked at: objects travel on the host.
    """
    chosen = member_for("broadcast_object_list", group)
    if chosen is None:
        return
    root = rank_in("broadcast_object_list", chosen, src, group_src, 0)
    own = chosen.rank() == root
    data = _packed(list(object_list)) if own else None
    size = _number(0 if data is None else data.numel())
    collectives.broadcast(size, group=chosen, group_src=root)
    data = _bytes(int(size)) if data is None else data
    collectives.broadcast(data, group=chosen, group_src=root)
    if not own:
        object_list[:] = _unpacked(data, data.numel())


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: Any = None,
    group_src: int | None = None,
) -> None:
    """Give each rank an object of one rank's list.

    Args:
        scatter_object_output_list: its first entry becomes the object.
        scatter_object_input_list: of the rank that shares out, an object for each rank.
        src, group, group_src: as of `scatter`, as are ValueErrors; UnpicklingErrors as of `all_gather_object`.
    """
    chosen = member_for("scatter_object_list", group)
    if chosen is None:
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    root = rank_in("scatter_object_list", chosen, src, group_src, 0)
    every: list[Any] | None = None
    max_size = _number(0)
    if chosen.rank() == root:
        if scatter_object_input_list is None or len(scatter_object_input_list) != chosen.size():
            raise ValueError(f"scatter_object_list(): the source needs a list of {chosen.size()} objects")
        packed = [_packed(value) for value in scatter_object_input_list]
        max_size = _number(max(data.numel() for data in packed))
        every = [_padded(data, int(max_size)) for data in packed]
    collectives.broadcast(max_size, group=chosen, group_src=root)
    sizes = None if every is None else [_number(data.numel()) for data in packed]
    size, own = _number(0), _bytes(int(max_size))
    all_to_all.scatter(size, sizes, group=chosen, group_src=root)
    all_to_all.scatter(own, every, group=chosen, group_src=root)
    scatter_object_output_list[0] = _unpacked(own, int(size))


def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: Any = None,
    device: Any = None,
    group_dst: int | None = None,
    use_batch: bool = False,
) -> None:
    """Send the objects of a list to another rank.

    Args:
        object_list: the list.
        dst, group, group_dst: as of `isend`.
        device, use_batch: not looked at.
    """
    data = _packed(list(object_list))
    messages.send(_number(data.numel()), dst, group, 0, group_dst)
    messages.send(data, dst, group, 0, group_dst)


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src: int | None = None,
    use_batch: bool = False,
) -> int:
    """Receive objects that another rank sends by `send_object_list`; its rank, as by `recv`.

    Args:
        object_list: a list of as many entries.
        src, group, group_src: as of `recv`; UnpicklingErrors as of `all_gather_object`.
        device, use_batch: not looked at.
    """
    size = _number(0)
    sender = messages.recv(size, src, group, 0, group_src)
    if sender >= 0:
        data = _bytes(int(size))
        messages.recv(data, sender, group)
        object_list[:] = _unpacked(data, data.numel())
    return sender
