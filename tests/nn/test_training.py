"""Layers, losses, optimizers and loaders together: whole training runs against references."""

import importlib.util
from typing import Any

import numpy as np
import pytest

import specgrad as sg

RNG = np.random.default_rng(7)
X = RNG.standard_normal((60, 5))
Y = (X[:, 0] * X[:, 1] > 0).astype(np.int64) + (X[:, 2] > 1)


def _numpy_losses(w1: Any, b1: Any, w2: Any, b2: Any, lr: float, momentum: float, epochs: int) -> list[float]:
    """Losses of a tanh network with one hidden layer, its gradients written out by hand."""
    params = [w1, b1, w2, b2]
    velocity = [np.zeros_like(p) for p in params]
    losses = []
    for _ in range(epochs):
        for start in range(0, 60, 20):
            x, y = X[start : start + 20], Y[start : start + 20]
            hidden = np.tanh(x @ params[0].T + params[1])
            scores = hidden @ params[2].T + params[3]
            p = np.exp(scores - scores.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            losses.append(-np.log(p[np.arange(20), y]).mean())
            d_scores = (p - np.eye(3)[y]) / 20
            d_hidden = d_scores @ params[2] * (1 - hidden**2)
            grads = [d_hidden.T @ x, d_hidden.sum(0), d_scores.T @ hidden, d_scores.sum(0)]
            velocity = [momentum * v + g for v, g in zip(velocity, grads, strict=True)]
            params = [q - lr * v for q, v in zip(params, velocity, strict=True)]
    return losses


def test_network_against_gradients_by_hand() -> None:
    """Thirty steps of SGD with momentum give the losses of the same network written in NumPy."""
    sg.manual_seed(0)
    net = sg.nn.Sequential(sg.nn.Linear(5, 8), sg.nn.Tanh(), sg.nn.Linear(8, 3)).double()
    start = [p.detach().numpy().copy() for p in net.parameters()]
    optimizer = sg.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
    data = sg.utils.data.TensorDataset(sg.from_numpy(X), sg.from_numpy(Y))
    loader = sg.utils.data.DataLoader(data, batch_size=20)
    loss_of = sg.nn.CrossEntropyLoss()
    losses = []
    for _ in range(10):
        for x, y in loader:
            optimizer.zero_grad()
            loss = loss_of(net(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    np.testing.assert_allclose(losses, _numpy_losses(*start, 0.2, 0.9, 10), rtol=1e-9)
    assert losses[-1] < 0.8 * losses[0]


def _images(lib: Any) -> Any:
    nn = lib.nn
    return nn.Sequential(
        nn.Conv2d(2, 6, 3, padding="same", bias=False),
        nn.BatchNorm2d(6),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(6, 4, 3, stride=2, groups=2),
        nn.GELU(),
        nn.AvgPool2d(2, ceil_mode=True),
        nn.Flatten(),
        nn.LayerNorm(4 * 1 * 1),
        nn.Linear(4, 5),
    ).double()


def _image_losses(lib: Any, state: dict[str, np.ndarray], name: str, options: dict[str, Any]) -> list[float]:
    net = _images(lib)
    net.load_state_dict({key: lib.from_numpy(value.copy()) for key, value in state.items()})
    optimizer = getattr(lib.optim, name)(net.parameters(), **options)
    scheduler = lib.optim.lr_scheduler.CosineAnnealingLR(optimizer, 8)
    x = lib.from_numpy(np.random.default_rng(8).standard_normal((12, 2, 8, 8)))
    y = lib.from_numpy(np.random.default_rng(9).integers(0, 5, 12))
    losses = []
    for _ in range(12):
        optimizer.zero_grad()
        loss = lib.nn.functional.cross_entropy(net(x), y, label_smoothing=0.1)
        loss.backward()
        lib.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return [*losses, net.eval()(x).sum().item()]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
        ("Adam", {"lr": 0.02, "amsgrad": True}),
        ("AdamW", {"lr": 0.02}),
    ],
)
def test_images(name: str, options: dict[str, Any]) -> None:
    """A network of every kind of layer learns; where PyTorch is installed it gives the same losses."""
    sg.manual_seed(0)
    state = {key: value.numpy().copy() for key, value in _images(sg).state_dict().items()}
    found = _image_losses(sg, state, name, options)
    assert min(found[:-1]) < 0.8 * found[0]
    if importlib.util.find_spec("torch"):
        import torch

        np.testing.assert_allclose(found, _image_losses(torch, state, name, options), rtol=1e-6)
