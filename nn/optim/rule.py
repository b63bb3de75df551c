"""Update rules and their building blocks: state, hyperparameters, running averages, the descent itself."""

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.compiler.jit import LazyKernel
from ...runtime.device.device import CPU
from ...runtime.ops.creation import full_like, tensor, zeros_like
from ...runtime.ops.optim import rules
from ...runtime.tensor.dtypes import dtype, float32, float64, get_default_dtype
from ...runtime.tensor.grad_mode import is_grad_enabled


class Rule:
    """An update rule, see `runtime/ops/optim/rules.py`, and what an optimizer has to know of it.

    Args:
        name: that it has there.
        loop: (arrays, what is counted, the step size, settings, weight decay, maximize): the loop of the CPU.
        operations: (tensors, what is counted, the step size, settings): the same in operations on tensors.
        buffers: under which names of its state a parameter has tensors of its shape, in the order of the rule; a name
            alone, or with the option without which there is no such tensor.
        settings: the names of the rule's hyperparameters, pairs such as betas too; "decay" is the weight decay that is
            no penalty.
        counts: under which names of its state a parameter has what is counted for it.
        first: values of buffers and counts before the first step that are not 0, or the name of an option for it.

    Attributes:
        numbers: (what is counted, the step size, settings) -> the numbers of a step.
        later: the same -> what is counted besides steps, once the step is done.
    """

    def __init__(
        self,
        name: str,
        loop: LazyKernel,
        operations: Callable[..., None],
        buffers: tuple[str | tuple[str, str], ...] = (),
        settings: tuple[str, ...] = (),
        counts: tuple[str, ...] = ("step",),
        first: Mapping[str, float | str] | None = None,
    ) -> None:
        self.name, self.loop, self.operations, self.settings, self.counts = name, loop, operations, settings, counts
        self.buffers = [(each, None) if isinstance(each, str) else each for each in buffers]
        self.first = first or {}
        options = [*(option for _, option in self.buffers if option), *(s for s in settings if s != "decay")]
        options += ["weight_decay", "decoupled_weight_decay"] if "decay" in settings else []
        self.options_in = itemgetter(*options, *(options[:1] * (2 - len(options)))) if options else _nothing
        self.numbers: Callable[..., Any] = getattr(rules, f"{name}_numbers")
        self.later: Callable[..., Any] = getattr(rules, f"{name}_counts", _nothing)

    def start(self, state: dict[str, Any], param: Tensor, group: dict[str, Any], names: Sequence[str | None]) -> None:
        for each in self.counts:
            if each not in state:
                state[each] = number(self._first(each, group), param, group)
        for name in names:
            if name is not None and name not in state:
                value = self._first(name, group)
                filled = complex(value, value) if param.is_complex() else value
                state[name] = full_like(param, filled) if value else zeros_like(param)

    def _first(self, name: str, group: dict[str, Any]) -> float:
        value = self.first.get(name, 0.0)
        return float(group[value] if isinstance(value, str) else value)

    def names_in(self, group: dict[str, Any]) -> tuple[str | None, ...]:
        """The names of the buffers, None for each that the options of a group ask for none of."""
        return tuple([name if option is None or group[option] > 0 else None for name, option in self.buffers])

    def settings_in(self, group: dict[str, Any]) -> tuple[Any, ...]:
        """Numbers; tensors where gradients flow to them through the step."""
        matches: list[Any] = []
        for name in self.settings:
            value = decoupled_decay_of(group) if name == "decay" else group[name]
            each = value if isinstance(value, (tuple, list)) else [value]
            matches += each if group.get("differentiable") else map(float, each)
        return tuple(matches)


def buffers_of(names: Sequence[str | None]) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    """How the buffers of these names are found in a state, None for None: one call for each parameter of a step."""
    has_tensors = tuple(name for name in names if name is not None)
    if has_tensors == names and len(has_tensors) > 1:
        return itemgetter(*has_tensors)
    if len(has_tensors) == 2 and names[2:] == (None,):  # Adam without amsgrad
        first, second = has_tensors
        return lambda state: (state[first], state[second], None)
    return lambda state: tuple([None if name is None else state[name] for name in names])


def _nothing(*args: float) -> tuple[float, ...]:
    return ()


def is_counted_on_device(group: dict[str, Any]) -> bool:
    return bool(group.get("capturable") or group.get("fused"))


def scalar_dtype(group: dict[str, Any] | None = None) -> dtype:
    is_fused = group is not None and group.get("fused")
    return float64 if get_default_dtype() is float64 and not is_fused else float32


def number(value: Any, param: Tensor, group: dict[str, Any]) -> Tensor:
    """A number that is kept for a parameter as a tensor: on its device where a launch counts, else on the CPU."""
    target_device = param.device if is_counted_on_device(group) else "cpu"
    return tensor(float(value), dtype=scalar_dtype(group), device=target_device)


def count(state: dict[str, Any]) -> float:
    number = host_number(state, "step")
    number[0] += 1
    return float(number[0])


def host_number(state: dict[str, Any], name: str) -> Any:
    """The memory of a number that is kept as a tensor, as PyTorch has it; written past autograd, as every parameter
    pays for this. It is brought to the CPU from where a checkpoint was loaded to."""
    decay_factor = state[name]
    if decay_factor._device is not CPU:
        decay_factor = state[name] = decay_factor.cpu()
    return decay_factor._flat


def host_counts(
    rule: Rule, state: dict[str, Any], group: dict[str, Any], lr: float, settings: Sequence[float]
) -> Sequence[float]:
    """What is counted for a parameter: the number of this step, from one, and the rest, which is brought up to date."""
    if state["step"]._device is not CPU and is_counted_on_device(group):
        matches = [float(state[name].item()) for name in rule.counts]
        matches[0] += 1.0
        later = rule.later(*matches, lr, *map(float, settings))
        for name, value in zip(rule.counts, (matches[0], *later), strict=True):
            state[name].fill_(value)
        return matches
    if len(rule.counts) == 1:
        return (count(state),)
    decay_factor = [host_number(state, name) for name in rule.counts[1:]]
    matches = [count(state), *[float(number[0]) for number in decay_factor]]
    for number, value in zip(decay_factor, rule.later(*matches, lr, *map(float, settings)), strict=True):
        number[0] = value
    return matches


def rate(group: dict[str, Any]) -> Any:
    """The step size; a tensor stays one where gradients flow through the step."""
    return group["lr"] if group.get("differentiable") else float(group["lr"])


def uphill(param: Tensor, grad: Tensor, weight_decay: Any, maximize: bool) -> Tensor:
    """The gradient with the sign of `maximize`, and with the penalty."""
    if maximize:
        grad = -grad
    if isinstance(weight_decay, Tensor):
        return grad + param.clone() * weight_decay  # the step writes to it
    return grad.add(param, alpha=weight_decay) if weight_decay != 0 else grad


def decay_of(group: dict[str, Any]) -> Any:
    decay = group.get("weight_decay", 0.0)
    return decay if group.get("differentiable") else float(decay)


def decoupled_decay_of(group: dict[str, Any]) -> Any:
    return decay_of(group) if group["decoupled_weight_decay"] else 0.0


def shrink(param: Tensor, lr: Any, decay: float) -> None:
    if isinstance(decay, Tensor) or isinstance(lr, Tensor):
        param.copy_(param.clone() * (1 - lr * decay))
    elif decay != 0:
        param.mul_(1 - lr * decay)


# Below, what a rule has written to a buffer is what it goes on with. Gradients through several steps need it when the
# next step has written the buffer, so a rule that is recorded computes beside the buffer and copies.


def written(buffer: Tensor, value: Tensor) -> Tensor:
    buffer.copy_(value)
    return value


def averaged(average: Tensor, value: Tensor, new: Any) -> Tensor:
    """Update a running average to average + new (value - average), and return it."""
    if isinstance(new, Tensor):
        return written(average, average + (value - average.clone()) * new)
    if is_grad_enabled():
        return written(average, average.lerp(value, new))
    return average.lerp_(value, new)


def averaged_square(average: Tensor, value: Tensor, decay_factor: Any) -> Tensor:
    """Update a running mean square to kept average + (1 - kept) value^2, and return it."""
    if isinstance(decay_factor, Tensor):
        return written(average, average.clone() * decay_factor + value * value * (1 - decay_factor))
    if is_grad_enabled():
        return written(average, average.mul(decay_factor).addcmul_(value, value, value=1 - decay_factor))
    return average.mul_(decay_factor).addcmul_(value, value, value=1 - decay_factor)


def root(square: Tensor, eps: float, share: float = 1.0) -> Tensor:
    result = square.sqrt() if share == 1 else (square / share).sqrt_()
    return result.add(eps) if is_grad_enabled() else result.add_(eps)


def descend(param: Tensor, direction: Tensor, divisor: Tensor | None, lr: Any) -> None:
    if isinstance(lr, Tensor):  # which gradients may flow to
        param.sub_((direction if divisor is None else direction / divisor) * lr)
    elif divisor is None:
        param.add_(direction, alpha=-lr)
    else:
        param.addcdiv_(direction, divisor, value=-lr)


def in_parts(operations: Callable[..., None], tensors: Sequence[Any], *settings: Any) -> None:
    """Apply an element-wise rule to a parameter, its gradient and running estimates.

    Of complex tensors it updates real and imaginary parts separately.
    """
    if not tensors[0].is_complex():
        operations(tensors, *settings)
        return
    real: list[Any] = [None if t is None else t.real.clone() for t in tensors]
    imag: list[Any] = [None if t is None else t.imag.clone() for t in tensors]
    operations(real, *settings)
    operations(imag, *settings)
    for position, t in enumerate(tensors):
        if t is not None and position != 1:
            t.copy_(real[position] + imag[position] * 1j)
