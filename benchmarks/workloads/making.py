"""What most workloads are made of: the same numbers for each library, and steps whose results can be compared.

A step is timed as it is. What it has computed is its value, or what its attribute `results` gives after a call.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy

Step = Callable[[], object]


def drawing(seed: int = 0) -> numpy.random.Generator:
    """Random numbers that do not depend on the library."""
    return numpy.random.default_rng(seed)


def plain(torch: ModuleType, *shapes: tuple[int, ...], dtype: str = "float32", seed: int = 0) -> list:
    """Random tensors without gradients."""
    rng = drawing(seed)
    arrays = [rng.standard_normal(shape, dtype=numpy.float32) for shape in shapes]
    return [torch.tensor(array).to(getattr(torch, dtype)) for array in arrays]


def leaves(torch: ModuleType, *shapes: tuple[int, ...], dtype: str = "float32") -> list:
    """Random leaves that require gradients."""
    return [tensor.requires_grad_() for tensor in plain(torch, *shapes, dtype=dtype)]


def positive(torch: ModuleType, *shape: int, dtype: str = "float32") -> Any:
    """Random numbers between 0.1 and 1.1."""
    return torch.tensor(drawing().random(shape, dtype=numpy.float32) + 0.1).to(getattr(torch, dtype))


def integers(torch: ModuleType, end: int, *shape: int) -> Any:
    """Random integers from 0 to end - 1."""
    return torch.tensor(drawing().integers(0, end, shape))


def filled(torch: ModuleType, module: Any) -> Any:
    """A module with the same parameters in each library: of the usual size, near one for the weights of norms."""
    rng = drawing()
    for name, parameter in module.named_parameters():
        shape = tuple(parameter.shape)
        values = rng.standard_normal(shape)
        if len(shape) > 1:
            values /= numpy.sqrt(numpy.prod(shape[1:]))
        else:
            values = values / 10 + name.endswith("weight")
        with torch.no_grad():
            parameter.copy_(torch.tensor(values).to(parameter.dtype))
    return module


def giving(step: Step, results: Step) -> Step:
    """A step, and what is to be compared after it has run."""
    step.results = results  # type: ignore[attr-defined]
    return step


def backward(inputs: list, loss: Callable[[], Any]) -> Step:
    """Forward and backward of a scalar loss, starting from empty gradients."""

    def step() -> None:
        for leaf in inputs:
            leaf.grad = None
        loss().backward()

    return giving(step, lambda: [loss(), *(leaf.grad for leaf in inputs)])


def through(torch: ModuleType, layer: Callable, *shapes: tuple[int, ...], dtype: str = "float32") -> Step:
    """Forward and backward of a module or function of leaves, with a gradient for its output."""
    inputs = leaves(torch, *shapes, dtype=dtype)
    parameters = list(filled(torch, layer).parameters()) if hasattr(layer, "parameters") else []
    args: list = []

    def forward() -> Any:
        output = layer(*inputs)
        return output[0] if isinstance(output, tuple) else output

    def step() -> None:
        for leaf in (*inputs, *parameters):
            leaf.grad = None
        output = forward()
        if not args:
            args.extend(plain(torch, tuple(output.shape), dtype=dtype, seed=1))
        output.backward(args[0])

    return giving(step, lambda: [forward(), *(leaf.grad for leaf in (*inputs, *parameters))])


def training(torch: ModuleType, model: Any, optimizer: Any, x: Any, classes: int = 10) -> Step:
    """One training step of a classifier."""
    target = integers(torch, classes, x.shape[0])

    def step() -> None:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), target).backward()
        optimizer.step()

    return giving(step, lambda: [p.grad for p in model.parameters()])


def inference(torch: ModuleType, model: Any, x: Any) -> Step:
    """A model's output, without recording."""
    model.eval()

    def step() -> object:
        with torch.no_grad():
            return model(x)

    return step
