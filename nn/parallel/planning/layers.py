"""What a step of a model is made of, measured in one process: times, and bytes of gradients and of layers' results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from time import perf_counter
from typing import Any

from ....runtime.tensor.grad_mode import enable_grad
from ...optim import SGD
from ..buckets import tensors_in

_WARM = 3
BLOCK = 4  # steps whose mean counts
_SECONDS = 0.6  # of steps that are measured


@dataclass(frozen=True)
class Gradient:
    """One parameter's: its bytes, and the part of backward that is over when it is there."""

    size: int
    kind: str
    when: float


@dataclass(frozen=True)
class Layer:
    """A module without modules inside.

    Args:
        name: its name in the model.
        parameters: bytes of its parameters.
        output: bytes of its results.
        width: the rows of its matrix, by which it can be split; 0 where it has none.
        share: the part of forward that it takes.
    """

    name: str
    parameters: int
    output: int
    width: int
    share: float


@dataclass(frozen=True)
class Step:
    """A step in one process.

    Args:
        forward, backward, update: seconds of its parts.
        told: seconds of backward where each parameter says when its gradient is there, as averaging gradients needs.
        gradients: in the order in which they come.
        layers: in the order in which they run.
    """

    forward: float
    backward: float
    update: float
    measured_time: float
    gradients: list[Gradient] = field(default_factory=list)
    layers: list[Layer] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return self.forward + self.backward + self.update

    @property
    def gradient_bytes(self) -> int:
        return sum(one.size for one in self.gradients)


class Training:
    """A model with a batch, which goes through steps.

    Args:
        model: the model.
        batch: what its loss is computed of.
        loss: the loss of a model and a batch.
    """

    def __init__(self, model: Any, batch: Any, loss: Callable[[Any, Any], Any]) -> None:
        self.model, self.batch, self.loss = model, batch, loss
        self.optimizer = SGD(model.parameters(), lr=1e-4)

    def step(self) -> tuple[float, float, float]:
        self.optimizer.zero_grad()
        times = [perf_counter()]
        with enable_grad():
            loss = self.loss(self.model, self.batch)
            times.append(perf_counter())
            loss.backward()
        times.append(perf_counter())
        self.optimizer.step()
        times.append(perf_counter())
        return times[1] - times[0], times[2] - times[1], times[3] - times[2]


def repeated(training: Training, seconds: float = _SECONDS) -> list[tuple[float, float, float]]:
    for _ in range(_WARM):
        training.step()
    matches: list[tuple[float, float, float]] = []
    end = perf_counter() + seconds
    while len(matches) < 3 or perf_counter() < end:
        matches.append(training.step())
    return matches


def best_block(steps: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    """The mean parts of the consecutive steps that take least.

    What the machine does besides falls out, and what every few steps cost does not.
    """
    size = min(BLOCK, len(steps))
    begin = min(range(len(steps) - size + 1), key=lambda start: sum(map(sum, steps[start : start + size])))
    forward, backward, update = (fmean(parts) for parts in zip(*steps[begin : begin + size], strict=True))
    return forward, backward, update


def measured(training: Training) -> Step:
    forward, backward, update = best_block(repeated(training))
    measured_time, gradients = _gradients(training)
    return Step(forward, backward, update, max(measured_time, backward), gradients, _layers(training))


def _gradients(training: Training) -> tuple[float, list[Gradient]]:
    """Of several steps the shortest backward pass: its seconds, and the part of it after which gradients come."""
    came: list[tuple[Any, float]] = []
    parameters = [one for one in training.model.parameters() if one.requires_grad]
    handles = [
        one.register_post_accumulate_grad_hook(lambda leaf: came.append((leaf, perf_counter()))) for one in parameters
    ]
    matches: list[tuple[float, list[tuple[Any, float]]]] = []
    try:
        for _ in range(5 * _WARM):
            came.clear()
            _, backward, update = training.step()
            end = perf_counter() - update
            if came:
                matches.append((backward, [(leaf, 1 - (end - when) / backward) for leaf, when in came]))
    finally:
        for handle in handles:
            handle.remove()
    seconds, best = min(matches, key=lambda one: one[0])
    return seconds, [
        Gradient(leaf.numel() * leaf.element_size(), leaf.dtype.name, min(1.0, max(0.0, when))) for leaf, when in best
    ]


def _layers(training: Training) -> list[Layer]:
    matches: list[tuple[str, Any, int, float]] = []
    begun: dict[str, float] = {}
    handles: list[Any] = []
    for name, module in training.model.named_modules():
        if next(module.children(), None) is not None:
            continue

        def before(module: Any, args: Any, name: str = name) -> None:
            begun[name] = perf_counter()

        def after(module: Any, args: Any, output: Any, name: str = name) -> None:
            size = sum(one.numel() * one.element_size() for one in tensors_in(output))
            matches.append((name, module, size, perf_counter() - begun[name]))

        handles += [module.register_forward_pre_hook(before), module.register_forward_hook(after)]
    try:
        training.step()
        matches.clear()
        training.step()
    finally:
        for handle in handles:
            handle.remove()
    full = sum(seconds for *_, seconds in matches) or 1.0
    return [_layer(name, module, size, seconds / full) for name, module, size, seconds in matches]


def _layer(name: str, module: Any, output: int, share: float) -> Layer:
    own = [one for one in module.parameters() if one.requires_grad]
    matrices = [one for one in own if one.dim() > 1]
    return Layer(
        name,
        sum(one.numel() * one.element_size() for one in own),
        output,
        int(matrices[0].shape[0]) if matrices else 0,
        share,
    )
