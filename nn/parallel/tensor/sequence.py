"""What sequence parallelism asks of layers that are not split: their gradients are sums over parts of the sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....runtime.distributed import collectives
from ...modules.module import Module
from .parts import group_of


def sum_gradients(module: Module, group: Any = None) -> list[Any]:
    """Sum the gradients of a module's parameters over ranks as soon as they are there.

    For layers that all ranks have alike and each applies to its part of a sequence, such as LayerNorm between layers
    with a `sequence_dim`.

    Args:
        module: the module.
        group: the process group; the default one when left out.

    Returns:
        Handles; `remove()` of them ends it.
    """
    chosen = group_of("sum_gradients", group)
    return [p.register_hook(_summing(chosen)) for p in module.parameters() if p.requires_grad]


def _summing(group: Any) -> Callable[[Any], Any]:
    def hook(gradient: Any) -> Any:
        total = gradient.clone()
        collectives.all_reduce(total, group=group)
        return total

    return hook
