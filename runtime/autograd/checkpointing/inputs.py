"""The arguments of a checkpointed call, kept as an op keeps what it saves.

So hooks that are in force around the call get them too: those of an outer checkpoint, which need not keep them then.
And a tensor that is written to before backward is noticed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...batching.again import as_examples, bared
from ...tensor.base import TensorBase, fresh
from ...tensor.dtypes import float32
from ..custom.function import Function


class SaveInputs(Function):
    """Saves its arguments and does nothing else; the first one makes sure that the call is recorded."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        """Nothing is computed."""
        ctx.save_for_backward(*tensors[1:])
        return tensors[0].detach()

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Never called: no gradient can get here."""
        raise AssertionError("a checkpoint's saved inputs were run backward")


class SavedInputs:
    """Arguments by position and by name; the tensors among them are in the care of a graph node.

    Of examples of a batch the node has all, since the vmap that they are part of may be over before backward.
    """

    __slots__ = ("args", "kwargs", "levels", "node", "tensors")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        values = [*args, *kwargs.values()]
        self.tensors = [position for position, value in enumerate(values) if isinstance(value, TensorBase)]
        trigger = fresh(np.empty(0, np.float32), (0,), float32)
        trigger._rg = True
        found = [bared(values[position]) for position in self.tensors]
        self.levels = [levels for _, levels in found]
        self.node = SaveInputs.apply(trigger, *[tensor for tensor, _ in found]).grad_fn
        others = [None if isinstance(value, TensorBase) else value for value in values]
        self.args, self.kwargs = others[: len(args)], dict(zip(kwargs, others[len(args) :], strict=True))

    def get(self, numbers: Mapping[int, int]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments as they were given, to vmaps that have these numbers now."""
        values = [*self.args, *self.kwargs.values()]
        for position, tensor, levels in zip(self.tensors, self.node.saved_tensors, self.levels, strict=True):
            values[position] = as_examples(tensor, levels, numbers)
        return values[: len(self.args)], dict(zip(self.kwargs, values[len(self.args) :], strict=True))
