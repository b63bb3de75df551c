"""Small networks train inside autocast, with losses near those of float32; and so they do on a simulated device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from tests.device.cuda.simulator import simulated

nn, F = sg.nn, sg.nn.functional


def perceptron() -> Any:
    return nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 3))


def convolutional() -> Any:
    layers = [nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]
    return nn.Sequential(*layers, nn.Linear(16, 3))


def losses(make: Callable[[], Any], shape: tuple[int, ...], dtype: Any) -> list[float]:
    """The losses of 40 steps, in a region of `dtype` unless it is float32; float16 with a scaler."""
    sg.manual_seed(1)
    network, x, labels = make(), sg.randn(24, *shape), sg.arange(24) % 3
    optimizer = sg.optim.Adam(network.parameters(), lr=0.02)
    scaler = sg.amp.GradScaler("cpu", enabled=dtype is sg.float16)
    found = []
    for _ in range(40):
        optimizer.zero_grad()
        with sg.autocast("cpu", dtype=None if dtype is sg.float32 else dtype, enabled=dtype is not sg.float32):
            loss = F.cross_entropy(network(x), labels)
        assert loss.dtype is sg.float32
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        found.append(loss.item())
    assert all(p.dtype is p.grad.dtype is sg.float32 for p in network.parameters())
    return found


@pytest.mark.parametrize(("make", "shape"), [(perceptron, (8,)), (convolutional, (1, 4, 4))])
def test_losses_are_near_those_of_float32(make: Callable[[], Any], shape: tuple[int, ...]) -> None:
    """In bfloat16, and in float16 with a scaler, over all steps."""
    exact = losses(make, shape, sg.float32)
    assert exact[-1] < 0.4 * exact[0]
    for dtype in (sg.bfloat16, sg.float16):
        found = losses(make, shape, dtype)
        separate = max(abs(one - other) for one, other in zip(found, exact, strict=True))
        assert separate < 0.15 * exact[0], (dtype, found[-1], exact[-1])


def test_on_a_device() -> None:
    """Tensors of the device are cast to float16, those of the host in a region of its own; losses are scaled there."""
    with simulated():
        layer = nn.Linear(2, 2, device="cuda")
        x = sg.ones(1, 2, device="cuda")
        optimizer, scaler = sg.optim.SGD(layer.parameters(), lr=0.1), sg.amp.GradScaler(init_scale=4.0)
        with sg.autocast("cuda"):
            scores = layer(x)
            assert (scores.dtype, scores.exp().dtype, (scores * scores).dtype) == (sg.float16, sg.float32, sg.float16)
            assert F.layer_norm(scores, [2]).dtype is sg.float32
            assert sg.addcmul(scores, scores, x).dtype is sg.float32
            with pytest.raises(RuntimeError, match="binary_cross_entropy.*not in a region of autocast"):
                F.binary_cross_entropy(x, x)
            assert F.binary_cross_entropy(sg.ones(1), sg.ones(1)).dtype is sg.float32
            assert sg.mm(sg.ones(1, 1), sg.ones(1, 1)).dtype is sg.float32
            with sg.autocast("cpu"):
                assert (sg.mm(sg.ones(1, 1), sg.ones(1, 1)).dtype, layer(x).dtype) == (sg.bfloat16, sg.float16)
            loss = F.mse_loss(scores, x)
        before = layer.weight.detach().cpu()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        assert layer.weight.grad is not None and layer.weight.grad.dtype is sg.float32
        assert not layer.weight.detach().cpu().equal(before)
        assert scaler.get_scale() == 4.0
        sg.cuda.synchronize()
