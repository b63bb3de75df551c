"""Steps of parameters on CUDA devices: collected, and computed by one launch for all that have the same numbers.

Steps are counted on the host, and a launch is given its numbers; with `capturable` or `fused` they are counted on the
device, and the launch makes its numbers itself, so that a graph that has captured it counts on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.autograd.saved_tensor_hooks import announce_write
from ...runtime.tensor.observers import watch
from .rule import Rule, host_counts, is_counted_on_device

Tensors = Sequence[Tensor | None]


class PendingLaunch:
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
        from ...runtime.ops.optim.cuda import change_of

        if watch.active:
            for tensors in self.tensors:
                announce_write(tensors[0])
        plain = [in_order(tensors) for tensors in self.tensors]
        groups = [tuple([None if t is None else several().reals(t._flat) for t in each]) for each in plain]
        change = change_of(self.rule.name, len(plain[0]))
        if self.rate is None:
            several().change(change, groups, self.numbers)
        else:
            counts = [tuple([each._flat for each in own]) for own in self.counts]
            rate = self.rate._flat if isinstance(self.rate, Tensor) else self.rate
            several().change_and_count(change, groups, counts, rate, self.numbers)
        for tensors, computed in zip(self.tensors, plain, strict=True):
            put_back(tensors, computed)


class Launches:
    """The steps of one call of `step` that are still to be computed."""

    def __init__(self) -> None:
        self.waiting: dict[Any, PendingLaunch] = {}
        self.numbers: dict[Any, tuple[float, ...]] = {}  # of most parameters they are the same

    def add(
        self,
        rule: Rule,
        tensors: Tensors,
        state: dict[str, Any],
        settings: Sequence[float],
        group: dict[str, Any],
        signs: tuple[float, float],
    ) -> None:
        param: Any = tensors[0]
        lr, kinds = group["lr"], None
        counts: tuple[Any, ...] = ()
        if is_counted_on_device(group):
            counts = tuple([on_device(state, name, param) for name in rule.counts])
            kinds = tuple([each._dtype for each in counts])
            rate = lr if isinstance(lr, Tensor) and lr.is_cuda else float(lr)
            numbers = (*signs, *settings)
        else:
            rate = None
            numbers = self.numbers_of(rule, state, group, float(lr), settings, signs)
        known = id(lr) if rate is lr else rate
        key = (rule, param._dtype, param._device.index, tuple([t is None for t in tensors]), numbers, known, kinds)
        batch = self.waiting.get(key)
        if batch is None:
            batch = self.waiting[key] = PendingLaunch(rule, numbers, rate)
        batch.tensors.append(tensors)
        batch.counts.append(counts)

    def numbers_of(
        self,
        rule: Rule,
        state: dict[str, Any],
        group: dict[str, Any],
        lr: float,
        settings: Sequence[float],
        signs: tuple[float, float],
    ) -> tuple[float, ...]:
        counts = host_counts(rule, state, group, lr, settings) if rule.counts else ()
        key = (rule, lr, signs, *counts, *settings)
        cached = self.numbers.get(key)
        if cached is None:
            cached = self.numbers[key] = (*signs, *rule.numbers(*counts, lr, *settings))
        return cached

    def run(self) -> None:
        for batch in self.waiting.values():
            batch.run()


@cache
def several() -> Any:
    from ...runtime.kernels.cuda_launch import multi_tensor as several

    return several


def fits(tensors: Tensors) -> bool:
    first: Any = tensors[0]
    kind, shape, device = first._dtype, first._shape, first._device
    if kind.kind not in "fc":
        return False
    other: Any
    for other in tensors:
        if other is not None and (other._dtype is not kind or other._shape != shape or other._device is not device):
            return False
    return several().fits_index32(prod(shape) * len(tensors))


def on_device(state: dict[str, Any], name: str, param: Tensor) -> Tensor:
    state_values: Tensor = state[name]
    if state_values.device != param.device:
        state_values = state[name] = state_values.to(param.device)
    return state_values


def in_order(tensors: Tensors) -> Tensors:
    for t in tensors:
        if t is not None and t._flat is None:
            return [t if t is None or t._flat is not None else t.contiguous() for t in tensors]
    return tensors


def put_back(tensors: Tensors, computed: Tensors) -> None:
    """What was computed of copies goes to where these are from; it was all written but the gradient, the second."""
    if tensors[0] is computed[0]:
        tensors[0]._bump_version()  # type: ignore[union-attr]
    if tensors is not computed:
        for position, (tensor, result) in enumerate(zip(tensors, computed, strict=True)):
            if tensor is not None and tensor is not result and position != 1:
                tensor.copy_(result)  # type: ignore[arg-type]
