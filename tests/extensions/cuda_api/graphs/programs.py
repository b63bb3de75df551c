"""Networks, batches and steps of training that tests run eagerly and as graphs."""

from collections.abc import Callable
from typing import Any

import numpy as np

import specgrad as sg

CLASSES = 3


def mlp() -> Any:
    layers = sg.nn.Linear(6, 8), sg.nn.ReLU(), sg.nn.Dropout(0.3), sg.nn.Linear(8, CLASSES)
    return sg.nn.Sequential(*layers).cuda()


def cnn() -> Any:
    front = sg.nn.Conv2d(1, 3, 3), sg.nn.BatchNorm2d(3), sg.nn.ReLU(), sg.nn.MaxPool2d(2), sg.nn.Flatten()
    return sg.nn.Sequential(*front, sg.nn.Dropout(0.2), sg.nn.Linear(27, CLASSES)).cuda()


SHAPES: dict[Callable[[], Any], tuple[int, ...]] = {mlp: (4, 6), cnn: (2, 1, 8, 8)}


def batch(shape: tuple[int, ...], seed: int) -> tuple[Any, Any]:
    """Inputs and classes on the device."""
    source = np.random.default_rng(seed)
    inputs = source.normal(size=shape).astype(np.float32)
    return sg.tensor(inputs).cuda(), sg.tensor(source.integers(0, CLASSES, shape[0])).cuda()


def copied(make: Callable[[], Any], model: Any) -> Any:
    """Another network with the same parameters and buffers."""
    other = make()
    other.load_state_dict(model.state_dict())
    return other


def step(model: Any, optimizer: Any, inputs: Any, target: Any) -> Any:
    optimizer.zero_grad()
    loss = sg.nn.functional.cross_entropy(model(inputs), target)
    loss.backward()
    optimizer.step()
    return loss


def on_side_stream(function: Callable[[], Any]) -> Any:
    """Call a function on another stream, as before a capture."""
    side = sg.cuda.Stream()
    side.wait_stream(sg.cuda.current_stream())
    with sg.cuda.stream(side):
        result = function()
    sg.cuda.current_stream().wait_stream(side)
    return result


def recorded(function: Callable[[], Any], **keywords: Any) -> tuple[Any, Any]:
    """A graph of a call, and what that returned."""
    graph = sg.cuda.CUDAGraph()
    with sg.cuda.graph(graph, **keywords):
        result = function()
    return graph, result


def same(one: Any, other: Any) -> bool:
    """Whether parameters and buffers of two networks have the same bits."""
    pairs = zip(one.state_dict().values(), other.state_dict().values(), strict=True)
    return all(sg.equal(a, b) for a, b in pairs)
