"""Inputs of a function that is being differentiated, and the gradients of what it returned.

A transform works on whole batches: an input that a running vmap has in a batch, or shares, is differentiated as the
batch, so that each example gets a gradient of its own, and the graph holds ordinary tensors only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..autograd.backward import grad as autograd_grad
from ..autograd.node import LEAF, OUTPUT
from ..autograd.saved.saved import edge_of
from ..batching.levels import VmapLevel, running_levels
from ..batching.tensor import batch_first, level_of, wrap
from ..modes.grad_mode import mode
from ..modes.inference import is_inference
from ..tensor.base import TensorBase
from .arguments import check_input


class Tracked:
    """Fresh inputs for one differentiated call: `examples` for the function, `batches` in the graph."""

    def __init__(self, name: str, inputs: Sequence[Any]) -> None:
        self.levels = running_levels()
        for value in inputs:
            check_input(name, value)
        self.batches = [self._tracked(value) for value in inputs]
        self.examples = [self.as_example(batch) for batch in self.batches]

    def _tracked(self, value: Any) -> Any:
        """The whole batch of an input as a tensor of its own, which leads on to the input where that has a history."""
        batch = as_batch(value, self.levels)
        if batch._requires_grad and mode.grad:
            return batch.view_as(batch)
        return without_history(batch).requires_grad_()

    def released(self, output: Any) -> Any:
        """An output as the caller gets it: without the part of its history that only leads to the inputs."""
        if not isinstance(output, TensorBase) or not output._requires_grad:
            return output
        if mode.grad and leads_beyond([as_batch(output, self.levels)], self.batches):
            return output
        return without_history(output)

    def finish(self) -> None:
        """The function has been called and differentiated: nobody else can ask for gradients of these inputs."""
        for batch in self.batches:
            batch.is_finished_input = True

    def as_example(self, batch: Any) -> Any:
        for level in self.levels:
            batch = wrap(batch, level.number)
        return batch

    def gradients(
        self, outputs: Sequence[Any], seeds: Sequence[Any], retain: bool, create: bool | None = None
    ) -> list[Any]:
        """The gradient of sum_i <seeds_i, outputs_i> for each input, zeros where it has no part in them.

        They are recorded (`create`; by default where anything is) if they can lead to something else than the inputs.
        """
        roots, value = [], []
        for output, seed in zip(outputs, seeds, strict=True):
            if output._requires_grad and seed is not None:
                roots.append(as_batch(output, self.levels))
                value.append(as_batch(seed, self.levels))
        if not roots:
            return [self.as_example(batch.new_zeros(batch.shape)) for batch in self.batches]
        requested = bool(mode.grad) if create is None else create
        create = requested and (any(s._requires_grad for s in value) or leads_beyond(roots, self.batches))
        result = autograd_grad(
            roots, self.batches, value, retain_graph=retain or create, create_graph=create, materialize_grads=True
        )
        return [self.as_example(gradient) for gradient in result]


def without_history(tensor: Any) -> Any:
    """A tensor over another's memory outside the graph, with its tangents."""
    if level_of(tensor):
        return wrap(without_history(tensor.value), tensor.level)
    plain = tensor.detach()
    if is_inference(plain):
        plain._version_counter = None  # to the transform it is a tensor as any other
    plain._tangent = tensor._tangent
    return plain


def as_batch(value: Any, levels: Sequence[VmapLevel]) -> Any:
    """The tensor with one dimension in front for each running vmap, the outermost first."""
    for level in reversed(levels):
        value = batch_first(value, level.number, level.size)
    return value


def leads_beyond(roots: Sequence[Any], targets: Sequence[Any]) -> bool:
    """Whether a graph leads also to something else than the targets: then gradients must be recorded in turn."""
    ends = [edge_of(target) for target in targets]
    stopping, leaves = {id(e) for e in ends}, {id(t) for t in targets}
    seen: set[int] = set()
    stack = [edge_of(root) for root in roots]
    while stack:
        edge = stack.pop()
        if edge is None or id(edge) in stopping:
            if edge is not None and edge.edge_kind != LEAF:
                return True  # a target with a history of its own
            continue
        if edge.edge_kind == LEAF:
            if edge._requires_grad and id(edge) not in leaves and not getattr(edge, "is_finished_input", False):
                return True
            continue
        node = edge.node if edge.edge_kind == OUTPUT else edge
        if id(node) not in seen:
            seen.add(id(node))
            stack.extend(node.edges)
    return False
