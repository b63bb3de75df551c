"""Models whose steps are timed: of a size at which a step is products, and not calls. The same in both libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Training(NamedTuple):
    """What is trained: a model, and the batch of one rank."""

    model: Any
    inputs: Any
    labels: Any


def perceptron(torch: Any, rows: int = 512) -> Training:
    """784 - 1024 - 1024 - 10 on 512 rows a rank: 1.9 million parameters, 7.4 MB of gradients."""
    nn = torch.nn
    layers = [nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)]
    return Training(nn.Sequential(*layers), torch.randn(rows, 784), torch.randint(0, 10, (rows,)))


def convolutional(torch: Any, pictures: int = 32) -> Training:
    """Three convolutions of 32, 64 and 128 channels on 32 pictures of 32 x 32 a rank: 0.2 million parameters."""
    nn = torch.nn
    layers = [
        *(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(64, 128, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(128 * 4 * 4, 64), nn.ReLU(), nn.Linear(64, 10)),
    ]
    return Training(nn.Sequential(*layers), torch.randn(pictures, 3, 32, 32), torch.randint(0, 10, (pictures,)))


def perceptron_2048(torch: Any) -> Training:
    """The perceptron on 2048 rows a rank: 3,100 operations for each byte of a gradient."""
    return perceptron(torch, 2048)


def convolutional_128(torch: Any) -> Training:
    """The convolutions on 128 pictures a rank."""
    return convolutional(torch, 128)


_ALL = (perceptron, perceptron_2048, convolutional, convolutional_128)
WORKLOADS: dict[str, Callable[[Any], Training]] = {one.__name__: one for one in _ALL}


def step_of(torch: Any, training: Training, model: Any) -> Callable[[], object]:
    """One step: forward, backward, and SGD with momentum."""
    optimizer = torch.optim.SGD(training.model.parameters(), lr=0.01, momentum=0.9)

    def step() -> object:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(training.inputs), training.labels)
        loss.backward()
        optimizer.step()
        return loss

    return step
