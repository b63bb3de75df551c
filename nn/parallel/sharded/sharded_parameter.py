"""The parameters that a call of `fully_shard` cuts: those of a module that no module inside it has cut already."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from ....runtime.extensions.distributed.groups import algorithms, point_to_point
from ....runtime.extensions.distributed.groups.process_group import ProcessGroup
from ....runtime.extensions.distributed.shard_rows import rows_of
from .tensor import ShardedParameter

MARK = "_fsdp_state"  # the attribute of modules that are sharded


class Member:
    """A parameter of which this rank has some rows.

    Args:
        name: that in the module.
        owners: the modules that have it, and its name there; several where weights are tied.
        whole: the parameter as it is on all ranks.
        group: the ranks.
    """

    def __init__(self, name: str, owners: list[tuple[Any, str]], unsharded: Any, group: ProcessGroup) -> None:
        if not unsharded.dim():
            raise ValueError(
                f"fully_shard doesn't support scalar parameters. Change {name} to a 1D tensor with numel equal to 1."
            )
        self.name, self.owners = name, owners
        self.rows = rows = rows_of(tuple(unsharded.shape), group)
        local = unsharded.detach()[rows.first : rows.first + rows.count].clone()
        self.parameter = ShardedParameter(local, unsharded.requires_grad, rows)
        self.unreduced: Any = None  # the sum of gradients that have not been joined with those of other ranks

    def assign(self, tensor: Any) -> None:
        for module, key in self.owners:
            module._parameters[key] = tensor

    def show(self, tensor: Any) -> None:
        for module, key in self.owners:
            module._parameters[key] = self.parameter
            module.__dict__[key] = tensor

    def hide(self) -> None:
        for module, key in self.owners:
            module._parameters[key] = self.parameter
            module.__dict__.pop(key, None)

    def refresh(self, shown: Any) -> None:
        """Take over a parameter that the program has put in the place of the sharded one, of the same shape."""
        module, key = self.owners[0]
        cached = module._parameters.get(key)
        if cached is self.parameter or cached is shown:
            return
        if cached is None or tuple(cached.shape) != self.rows.local_shape:
            raise RuntimeError(
                f"{self.name}: the sharded parameter of shape {list(self.rows.local_shape)} has been replaced by "
                f"{'nothing' if cached is None else list(cached.shape)}"
            )
        self.parameter = ShardedParameter(cached.data, cached.requires_grad, self.rows)
        self.parameter.grad = cached.grad
        self.assign(self.parameter)


def managed(modules: Iterable[Any]) -> Iterator[Any]:
    seen: set[int] = set()
    waiting = list(modules)[::-1]
    tops = {id(module) for module in waiting}
    while waiting:
        module = waiting.pop()
        if id(module) in seen or (MARK in module.__dict__ and id(module) not in tops):
            continue
        seen.add(id(module))
        yield module
        waiting.extend([child for child in module.children() if child is not None][::-1])


def members_of(modules: list[Any], ignored: set[int], group: ProcessGroup) -> list[Member]:
    """Cut the parameters of modules, each once, but those whose identity is in `ignored`; the modules get their rows.

    A ValueError where one is a number, a DistBackendError where the ranks have other parameters.
    """
    owners: dict[int, list[tuple[Any, str]]] = {}
    results: dict[int, Any] = {}
    for module in managed(modules):
        for key, parameter in module._parameters.items():
            if parameter is not None and id(parameter) not in ignored and not isinstance(parameter, ShardedParameter):
                owners.setdefault(id(parameter), []).append((module, key))
                results[id(parameter)] = parameter
    names = {id(one): name for module in modules for name, one in module.named_parameters()}
    _agree([(names[number], one) for number, one in results.items()], group)
    members = [Member(names[number], owners[number], one, group) for number, one in results.items()]
    for member in members:
        member.assign(member.parameter)
    return members


def _agree(parameters: list[tuple[str, Any]], group: ProcessGroup) -> None:
    listed = "; ".join(f"{name} {list(one.shape)} {one.dtype} {one.requires_grad}" for name, one in parameters)
    message = f"with {len(parameters)} parameters of checksum {zlib.crc32(listed.encode()):08x}"
    group.begin(point_to_point.called("fully_shard", "", None, message), algorithms.barrier(group.link), 1).wait()
