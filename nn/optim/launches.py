"""Steps of parameters on CUDA devices: collected, and computed by one launch for all that have the same numbers.

Steps are counted on the host, and a launch is given its numbers; with `capturable` or `fused` they are counted on the
device, and the launch makes its numbers itself, so that a graph that has captured it counts on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.autograd.saved.mutation import announce_write
from ...runtime.modes.intercept import watch
from .rule import Rule, host_counts, is_counted_on_device

Tensors = Sequence[Tensor | None]


class Together:
    """Parameters, their gradients and estimates that one launch has to do with.

    Args:
        rule: what changes them.
        numbers: of the step; or, where the launch makes these itself, what it makes them of.
        rate: the step size then, a number or a tensor.
    """

    def __init__(self, rule: Rule, numbers: tuple[float, ...], rate: Any = None) -> None:
        self.rule, self.numbers, self.rate = rule, numbers, rate
        self.tensors: list[Tensors] = []
        self.counts: list[tuple[Tensor, ...]] = []

    def run(self) -> None:
        """Change them."""
        from ...runtime.cuda import several
        from ...runtime.ops.optim.cuda import change_of

        if watch.active:
            for tensors in self.tensors:
                announce_write(tensors[0])
        plain = [[in_order(t) for t in tensors] for tensors in self.tensors]
        groups = [tuple([None if t is None else several.reals(t._flat) for t in each]) for each in plain]
        change = change_of(self.rule.name, len(plain[0]))
        if self.rate is None:
            several.change(change, groups, self.numbers)
        else:
            counts = [tuple([each._flat for each in own]) for own in self.counts]
            rate = self.rate._flat if isinstance(self.rate, Tensor) else self.rate
            several.change_and_count(change, groups, counts, rate, self.numbers)
        for tensors, computed in zip(self.tensors, plain, strict=True):
            put_back(tensors, computed)


class Launches:
    """The steps of one call of `step` that are still to be computed."""

    def __init__(self) -> None:
        self.waiting: dict[Any, Together] = {}

    def add(
        self,
        rule: Rule,
        tensors: Tensors,
        state: dict[str, Any],
        settings: Sequence[float],
        group: dict[str, Any],
        signs: tuple[float, float],
    ) -> None:
        """Put the step of one parameter to those that it is computed with."""
        param: Any = tensors[0]
        kind: Any = (rule, param._dtype, param._device, tuple([t is None for t in tensors]))
        lr = group["lr"]
        if is_counted_on_device(group):
            counts = tuple([on_device(state, name, param) for name in rule.counts])
            rate = lr if isinstance(lr, Tensor) and lr.is_cuda else float(lr)
            found = Together(rule, (*signs, *settings), rate)
            kind = (*kind, id(lr) if rate is lr else rate, tuple([each._dtype for each in counts]))
        else:
            counts, rate = (), float(lr)
            found_counts = host_counts(rule, state, group, rate, settings) if rule.counts else ()
            numbers = rule.numbers(*found_counts, rate, *settings)
            found = Together(rule, (*signs, *numbers))
        found = self.waiting.setdefault((*kind, found.numbers), found)
        found.tensors.append(tensors)
        found.counts.append(counts)

    def run(self) -> None:
        """Compute them."""
        for together in self.waiting.values():
            together.run()


def fits(tensors: Tensors) -> bool:
    """Whether a launch can compute the step of a parameter: all tensors have one dtype, shape and device."""
    from ...runtime.cuda.several import within_reach

    first: Any = tensors[0]
    kind, shape, device = first._dtype, first._shape, first._device
    same = all(t is None or (t._dtype is kind and t._shape == shape and t._device is device) for t in tensors)
    return same and kind.kind in "fc" and within_reach(first.numel() * len(tensors))


def on_device(state: dict[str, Any], name: str, param: Tensor) -> Tensor:
    """What is counted, beside the parameter: brought there from where a checkpoint has left it."""
    kept: Tensor = state[name]
    if kept.device != param.device:
        kept = state[name] = kept.to(param.device)
    return kept


def in_order(t: Any) -> Any:
    """The tensor, or a copy of its elements in row order."""
    return t if t is None or t._flat is not None else t.contiguous()


def put_back(tensors: Tensors, computed: Sequence[Any]) -> None:
    """What was computed of copies goes to where these are from; it was all written but the gradient, the second."""
    for place, (tensor, result) in enumerate(zip(tensors, computed, strict=True)):
        if tensor is not None and tensor is not result and place != 1:
            tensor.copy_(result)
    if tensors[0] is computed[0]:
        tensors[0]._bump_version()
