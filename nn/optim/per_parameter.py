"""Optimizers whose rule looks at one parameter at a time: as one kernel over its memory where that is possible.

On CUDA devices one launch computes all that have the same numbers. Steps are counted on the host, and a launch is given
its numbers; with `capturable` or `fused` they are counted on the device, and the launch makes its numbers itself, so
that a graph that has captured it counts on.
"""

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from ...generated.tensor import Tensor
from ...runtime.autograd.saved_tensor_hooks import announce_write
from ...runtime.device.device import CPU
from ...runtime.device.threads.parallel_for import by_slices
from ...runtime.dispatch.shape_rules import is_recorded_on
from ...runtime.ops.creation import tensor
from ...runtime.tensor.dtypes import float32, float64
from ...runtime.tensor.grad_mode import enable_grad, no_grad
from ...runtime.tensor.memory_format import strided
from ...runtime.tensor.observers import watch
from ..docstrings import completed_within
from .optimizer import Closure, Optimizer
from .rule import Rule, buffers_of, decay_of, host_counts, in_parts, is_counted_on_device, rate, scalar_dtype, uphill

_EMPTY: dict[Any, np.ndarray] = {float32: np.empty(0, np.float32), float64: np.empty(0, np.float64)}


class PerParameter(Optimizer):
    """An optimizer whose rule looks at one parameter at a time.

    A subclass names its `_rule`, or defines `_update`.

    Args:
        params: tensors, pairs of a name and a tensor, or dicts that define groups.
        lr: step size.
        betas: how much of the estimates of mean and mean square is kept in a step.
        eps: added to the denominator.
        weight_decay: weight of the penalty |p|^2 / 2.
        momentum: how much of the last direction is kept.
        foreach: accepted for compatibility.
        maximize: go up instead of down.
        capturable: count steps on the device of the parameters, so that a graph that has captured a step counts on.
        differentiable: let gradients flow through the step.
        fused: False computes with separate tensor operations; otherwise one kernel is used where possible, on a
            device one launch for all parameters. True counts steps there as `capturable` does.
        decoupled_weight_decay: p = (1 - lr weight_decay) p instead of a penalty.

    Raises: ValueError: a hyperparameter is out of range.
    """

    _rule: Any = None  # a `Rule`; None where a subclass defines `_update`
    _launches: "Launches"  # of the step that is being made
    # What is the same for all parameters of the group that is being changed:
    _names: tuple[str | None, ...] = ()
    _options: tuple[Any, ...] | None = None  # which `_names`, `_settings` and `_buffers` were made of
    _buffers: Callable[[dict[str, Any]], tuple[Tensor | None, ...]]
    _settings: tuple[float, ...] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        completed_within(__name__, cls, PerParameter)

    def _enter(self, group: dict[str, Any]) -> None:
        if self._rule is None:
            return
        options = self._rule.options_in(group)
        if options == self._options:  # those of the last group, or of the last step
            return
        self._names, self._settings = self._rule.names_in(group), self._rule.settings_in(group)
        self._buffers = buffers_of(self._names)
        # A tensor among them may be written to: then they are read each time.
        self._options = options if all(map(_is_constant, options)) else None

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        try:
            buffers = self._buffers(state)
        except KeyError:
            self._rule.start(state, param, group, self._names)
            buffers = self._buffers(state)
        self._apply(state, (param, grad, *buffers), self._settings, group)

    def _sparse_update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")

    def step(self, closure: Closure | None = None) -> Any:
        """Change every parameter that has a gradient once; what the `closure` has returned.

        The closure computes the loss again, and is called with gradients recorded.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        self._launches = Launches()
        self._require_capturable()
        with enable_grad() if self.defaults.get("differentiable") else no_grad():
            for group in self.param_groups:
                self._enter(group)
                for param in group["params"]:
                    grad = param.grad
                    if grad is None:
                        continue
                    if grad.layout is strided:
                        self._update(param, grad, group)
                    else:
                        self._sparse_update(param, grad, group)
            self._launches.run()
        return loss

    def _require_capturable(self) -> None:
        """A graph repeats the numbers that it was captured with: steps that are counted on the host do not go on."""
        for group in self.param_groups:
            if group.get("capturable") is False and group["params"] and is_recorded_on(group["params"][0].device):
                raise RuntimeError(
                    f"Attempting CUDA graph capture of step() for an instance of {type(self).__name__} but "
                    "param_groups' capturable is False."
                )

    def _apply(
        self,
        state: dict[str, Any],
        tensors: Sequence[Tensor | None],
        settings: Sequence[float],
        group: dict[str, Any],
    ) -> None:
        """Change a parameter, the first of `tensors`, in one pass, or by the same rule in tensor operations.

        Their rule gets a gradient that sign and penalty of the group have changed; kernels do that themselves. Loops
        of the CPU take what is contiguous, writable, of one size, and float32, float64 or complex (as pairs of reals);
        on a device a launch at the end of the step changes all parameters. Gradients flow through tensor operations
        only.
        """
        rule: Rule = self._rule
        param: Any = tensors[0]
        weight_decay, maximize = decay_of(group), bool(group["maximize"])
        if weight_decay != 0 and group.get("decoupled_weight_decay"):
            weight_decay = 0.0
        by_kernel = not group["differentiable"] and group.get("fused") is not False
        if by_kernel and param._device is not CPU and param.is_cuda and fits(tensors):
            signs = (-1.0 if maximize else 1.0, weight_decay)
            self._launches.add(rule, tensors, state, settings, group, signs)
            return
        lr = float(group["lr"])
        counts = host_counts(rule, state, group, lr, settings) if rule.counts else ()
        arrays = _arrays(tensors) if by_kernel else None
        if arrays is None:
            _, grad, *buffers = tensors
            changed = uphill(param, grad, weight_decay, maximize)  # type: ignore[arg-type]
            in_parts(rule.operations, (param, changed, *buffers), counts, rate(group), settings)
            return
        if watch.active:
            announce_write(param)
        loop = rule.loop.compiled or rule.loop  # the first call compiles it
        by_slices(loop, (*arrays, *counts, lr, *settings, weight_decay, maximize), arrays[0].size)
        param._bump_version()

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, default in self.defaults.items():  # what older programs did not save
                group.setdefault(name, default)
        for state_entry in self.state.values():
            for name in self._scalars & state_entry.keys() if isinstance(state_entry, dict) else ():
                if not isinstance(state_entry[name], Tensor):
                    state_entry[name] = tensor(float(state_entry[name]), dtype=scalar_dtype())


def _arrays(tensors: Sequence[Tensor | None]) -> list[np.ndarray] | None:
    """1-D arrays of real numbers over the memory of each tensor; an empty one for None."""
    first: Any = tensors[0]
    dtype, shape, native = first._dtype, first._shape, first._dtype.native
    if not (native or dtype.is_complex):
        return None
    arrays: list[np.ndarray] = []
    for t in tensors:
        if t is None:
            arrays.append(_EMPTY[dtype.real])
            continue
        flat: Any = t._flat
        if flat is None or t._dtype is not dtype or t._shape != shape or t._device.type != "cpu":
            return None
        if not flat.flags.writeable:
            return None
        arrays.append(flat if native else flat.view(dtype.real.np))
    return arrays


def _is_constant(option: Any) -> bool:
    return isinstance(option, (int, float)) or (isinstance(option, tuple) and all(map(_is_constant, option)))


Tensors = Sequence[Tensor | None]


class PendingLaunch:
    """Parameters, their gradients and estimates that one launch has to do with.

    `numbers` are those of the step; with a `rate` the launch makes them of these.
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
        groups = [tuple([None if t is None else multi_tensor().reals(t._flat) for t in each]) for each in plain]
        change = change_of(self.rule.name, len(plain[0]))
        if self.rate is None:
            multi_tensor().change(change, groups, self.numbers)
        else:
            counts = [tuple([each._flat for each in own]) for own in self.counts]
            rate = self.rate._flat if isinstance(self.rate, Tensor) else self.rate
            multi_tensor().change_and_count(change, groups, counts, rate, self.numbers)
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
def multi_tensor() -> Any:
    from ...runtime.kernels.cuda_launch import multi_tensor as module

    return module


def fits(tensors: Tensors) -> bool:
    first: Any = tensors[0]
    kind, shape, device = first._dtype, first._shape, first._device
    if kind.kind not in "fc":
        return False
    other: Any
    for other in tensors:
        if other is not None and (other._dtype is not kind or other._shape != shape or other._device is not device):
            return False
    return multi_tensor().fits_index32(prod(shape) * len(tensors))


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
