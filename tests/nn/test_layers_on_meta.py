"""Layers on the device meta: made, trained in name, and given memory. What is expected is what PyTorch does."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.cpu("the device is meta")


def test_network_forward_and_backward(lib: ModuleType) -> None:
    """Convolutions, norms, pooling, losses: shapes of outputs and of gradients."""
    nn = lib.nn
    with lib.device("meta"):
        layers = [nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)]
        net = nn.Sequential(*layers, nn.Flatten(), nn.Linear(128, 10))
        x = lib.randn(2, 3, 8, 8)
    assert all(t.is_meta for t in [*net.parameters(), *net.buffers()])
    loss = nn.functional.cross_entropy(net(x), lib.zeros(2, dtype=lib.long, device="meta"))
    loss.backward()
    assert loss.is_meta and all(p.grad.is_meta and p.grad.shape == p.shape for p in net.parameters())


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_recurrent_layers(lib: ModuleType, name: str) -> None:
    layer = getattr(lib.nn, name)(4, 6, num_layers=2, bidirectional=True, device="meta")
    output, last = layer(lib.randn(5, 2, 4, device="meta"))
    output.sum().backward()
    states = last if isinstance(last, tuple) else (last,)
    assert tuple(output.shape) == (5, 2, 12) and all(tuple(s.shape) == (4, 2, 6) for s in states)


def test_transformer(lib: ModuleType) -> None:
    with lib.device("meta"):
        layer = lib.nn.TransformerEncoderLayer(16, 2, dim_feedforward=32)
        found = lib.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)(lib.randn(5, 2, 16))
    found.sum().backward()
    assert found.is_meta and tuple(found.shape) == (5, 2, 16)


def test_memory_comes_later(lib: ModuleType) -> None:
    """`to_empty` gives memory, `to` has nothing to copy, `skip_init` makes layers that nobody has initialised."""
    layer = lib.nn.Linear(3, 4, device="meta")
    with pytest.raises(NotImplementedError, match="to_empty"):
        layer.to("cpu")
    layer.to_empty(device="cpu")
    assert layer.weight.device.type == "cpu" and isinstance(layer.weight, lib.nn.Parameter)
    assert tuple(layer(lib.ones(2, 3)).shape) == (2, 4)
    made = lib.nn.utils.skip_init(lib.nn.Linear, 3, 4)
    assert made.weight.device.type == "cpu" and tuple(made.weight.shape) == (4, 3)


def test_state_of_another_layer(lib: ModuleType) -> None:
    """`assign=True` takes the tensors themselves; without it nothing is copied, with a warning."""
    source, layer = lib.nn.Linear(3, 4), lib.nn.Linear(3, 4, device="meta")
    with pytest.warns(UserWarning, match="copying from a non-meta parameter in the checkpoint to a meta parameter"):
        layer.load_state_dict(source.state_dict())
    assert layer.weight.is_meta
    layer.load_state_dict(source.state_dict(), assign=True)
    assert lib.equal(layer.weight, source.weight) and layer.weight.requires_grad


@pytest.mark.parametrize(
    ("name", "options"),
    [("SGD", {"momentum": 0.9}), ("Adam", {}), ("AdamW", {}), ("Adagrad", {}), ("RMSprop", {}), ("Adamax", {})],
)
def test_optimizers(lib: ModuleType, name: str, options: dict[str, Any]) -> None:
    """Steps change nothing, and keep their state beside the parameters."""
    layer = lib.nn.Linear(3, 4, device="meta")
    optimizer = getattr(lib.optim, name)(layer.parameters(), lr=0.1, **options)
    for _ in range(2):
        optimizer.zero_grad()
        layer(lib.ones(2, 3, device="meta")).sum().backward()
        lib.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
        optimizer.step()
    retained = [t for state in optimizer.state.values() for t in state.values() if lib.is_tensor(t) and t.ndim]
    assert retained and all(t.is_meta for t in [*retained, *layer.parameters()])
