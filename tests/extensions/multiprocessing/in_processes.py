"""What the processes of the tests do: functions of a module, so that processes that are spawned find them."""

import os
import signal
from typing import Any

import specgrad as sg
from specgrad import nn


def answer(questions: Any, answers: Any) -> None:
    """Write to each tensor that comes, and send what it was before."""
    while (tensor := questions.get()) is not None:
        answers.put(tensor.clone())
        tensor.fill_(-1)


def describe(questions: Any, answers: Any) -> None:
    """What arrives of a message of tensors."""
    full, part, parameter, state, storage = questions.get()
    same = full.untyped_storage() is part.untyped_storage() is storage
    part.fill_(5)
    attributes = [type(parameter).__name__, parameter.requires_grad, parameter.is_leaf, parameter.grad is None]
    answers.put([same, full.tolist(), attributes, list(state), [value.is_shared() for value in state.values()]])


def send_and_end(answers: Any) -> None:
    """Send a tensor that nobody else has, and end."""
    answers.put(sg.arange(3))


def add_index(index: int, total: Any, views: Any) -> None:
    """Write to a tensor of the process that has started this one, and look at how its views came."""
    total[index] += index + 1
    assert views[0].untyped_storage() is views[1].untyped_storage() is not total.untyped_storage()


def fail(index: int, how: str) -> None:
    """Process 1 fails in a way, process 0 would take for ever."""
    if index == 0:
        signal.pause()
    if how == "raises":
        raise ValueError("by intention")
    if how == "exits":
        os._exit(3)
    os.kill(os.getpid(), signal.SIGKILL)


def square(x: Any) -> Any:
    """The square."""
    return x * x


def forget(questions: Any, answers: Any) -> None:
    """Get a tensor and be killed while holding it."""
    retained = questions.get()
    answers.put(float(retained.sum()))
    signal.pause()


def model() -> nn.Module:
    """A small model with parameters and buffers."""
    return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.BatchNorm1d(8), nn.Linear(8, 1))


def train(index: int, net: nn.Module, steps: int, shared: Any) -> None:
    """Hogwild: steps of SGD on parameters that others write to as well, by gradients of this process."""
    sg.manual_seed(index)
    optimizer = sg.optim.SGD(net.parameters(), lr=0.05)
    weight = sg.tensor([[1.0], [-2.0], [0.5]])
    for _ in range(steps):
        x = sg.randn(32, 3)
        optimizer.zero_grad()
        ((net(x) - x @ weight) ** 2).mean().backward()
        optimizer.step()
    shared[index] = sum(float(p.grad.abs().sum()) for p in net.parameters() if p.grad is not None)
