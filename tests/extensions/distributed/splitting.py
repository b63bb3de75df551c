"""Checks of layers that are split over ranks, for every rank: losses and gradients are those of one process."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import specgrad as sg
from specgrad import distributed as dist
from specgrad import nn
from specgrad.nn import functional as F
from specgrad.nn.parallel import (
    ColumnParallelLinear,
    RowParallelLinear,
    VocabParallelEmbedding,
    sum_gradients,
    vocab_parallel_cross_entropy,
)
from tests.extensions.distributed.checks import check

WIDTH, HEADS, SLOTS, LENGTH = 12, 6, 12, 6  # multiples of 2 and of 3 ranks
STEPS = 4


class Block(nn.Module):
    """A transformer block between an embedding and logits, made of the layers that it is given."""

    def __init__(self, layers: dict[str, Any]) -> None:
        super().__init__()
        self.layers = nn.ModuleDict(layers)

    def forward(self, tokens: Any) -> Any:
        parts = self.layers
        x = parts["table"](tokens)
        x = x + parts["out"](attention(parts["qkv"](parts["before"](x))))
        return parts["head"](x + parts["down"](F.gelu(parts["up"](parts["behind"](x)))))


def attention(qkv: Any) -> Any:
    """Attention of the heads that the projections hold, each with its queries, keys and values side by side."""
    heads = qkv.view(*qkv.shape[:2], -1, 3, WIDTH // HEADS).permute(3, 0, 2, 1, 4)
    found = F.scaled_dot_product_attention(*heads, is_causal=True)
    return found.transpose(1, 2).flatten(2)


def whole_layers() -> dict[str, Any]:
    """The same on all ranks, which may be threads: each draws from a generator of its own."""
    layers = {
        "table": nn.Embedding(SLOTS, WIDTH),
        "before": nn.LayerNorm(WIDTH),
        "qkv": nn.Linear(WIDTH, 3 * WIDTH),
        "out": nn.Linear(WIDTH, WIDTH),
        "behind": nn.LayerNorm(WIDTH),
        "up": nn.Linear(WIDTH, 4 * WIDTH),
        "down": nn.Linear(4 * WIDTH, WIDTH),
        "head": nn.Linear(WIDTH, SLOTS, bias=False),
    }
    generator = sg.Generator().manual_seed(5)
    for name in ("table", "qkv", "out", "up", "down", "head"):
        for parameter in layers[name].parameters():
            nn.init.uniform_(parameter, -0.3, 0.3, generator=generator)
    return layers


def split_layers(sequence_dim: int | None) -> dict[str, Any]:
    """The same layers, split over the ranks."""
    layers = whole_layers()
    location = {"sequence_dim": sequence_dim}
    layers["table"] = VocabParallelEmbedding.from_embedding(layers["table"], **location)
    for name in ("qkv", "up", "head"):
        layers[name] = ColumnParallelLinear.from_linear(layers[name], gather_output=False, **location)
    for name in ("out", "down"):
        layers[name] = RowParallelLinear.from_linear(layers[name], input_is_parallel=True, **location)
    if sequence_dim is not None:
        for name in ("before", "behind"):
            sum_gradients(layers[name])
    return layers


def losses(model: Any, loss: Any) -> list[float]:
    """The losses of some steps of training."""
    tokens = sg.tensor(np.random.default_rng(2).integers(0, SLOTS, (3, LENGTH + 1)))
    optimizer = sg.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    found = []
    for _ in range(STEPS):
        value = loss(model(tokens[:, :-1]), tokens[:, 1:])
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        found.append(value.item())
    return found


@check
def a_transformer_block_in_parts(rank: int, size: int) -> None:
    """Losses of training are those of one process, and so is the weight; also with sequences in parts."""
    entire = Block(whole_layers()).double()
    expected = losses(entire, lambda x, t: F.cross_entropy(x.flatten(0, 1), t.flatten()))
    assert expected[-1] < expected[0]
    for sequence_dim in (None, 1):
        model = Block(split_layers(sequence_dim)).double()
        found = losses(model, vocab_parallel_cross_entropy)
        np.testing.assert_allclose(found, expected, rtol=1e-10)
        for name in ("qkv", "up", "head", "table"):
            part = entire.layers[name].weight.chunk(size)[rank]
            sg.testing.assert_close(model.layers[name].weight, part, rtol=1e-9, atol=1e-11)
        down = entire.layers["down"]
        sg.testing.assert_close(model.layers["down"].weight, down.weight.chunk(size, 1)[rank], rtol=1e-9, atol=1e-11)
        sg.testing.assert_close(model.layers["down"].bias, down.bias, rtol=1e-9, atol=1e-11)
        before = entire.layers["before"].weight
        sg.testing.assert_close(model.layers["before"].weight, before, rtol=1e-9, atol=1e-11)


@check
def runs_give_the_same_bits(rank: int, size: int) -> None:
    """Training twice from one seed gives the same losses, bit by bit, on all ranks."""
    found = [losses(Block(split_layers(1)), vocab_parallel_cross_entropy) for _ in range(2)]
    every: list[Any] = [None] * size
    dist.all_gather_object(every, found)
    assert all(one == found for one in every) and found[0] == found[1]


@check
def layers_by_themselves(rank: int, size: int) -> None:
    """With inputs and outputs that all ranks have alike, the layers are Linear layers; other parameters stay out."""
    x = sg.randn(2, 5, WIDTH, generator=sg.Generator().manual_seed(1), dtype=sg.float64)
    entire = nn.Linear(WIDTH, WIDTH).double()
    dist.broadcast(entire.weight.detach(), 0)
    dist.broadcast(entire.bias.detach(), 0)
    for kind in (ColumnParallelLinear, RowParallelLinear):
        layer: Any = kind.from_linear(entire)
        own, other = x.clone().requires_grad_(), x.clone().requires_grad_()
        layer(own).square().sum().backward()
        entire(other).square().sum().backward()
        sg.testing.assert_close(layer(x), entire(x), rtol=1e-12, atol=1e-13)
        sg.testing.assert_close(own.grad, other.grad, rtol=1e-12, atol=1e-13)
    with pytest.raises(ValueError, match=f"expected out_features to be a multiple of {size}"):
        ColumnParallelLinear(WIDTH, WIDTH + 1)
    with pytest.raises(ValueError, match=f"expected in_features to be a multiple of {size}"):
        RowParallelLinear(WIDTH + 1, WIDTH)


@check
def losses_of_split_classes(rank: int, size: int) -> None:
    """The loss is SciPy's log sum exp less the target's logit, with ignored targets, smoothing and reductions."""
    rng = np.random.default_rng(3)
    logits, target = 5 * rng.standard_normal((7, SLOTS)), rng.integers(0, SLOTS, 7)
    target[2] = -100
    counted = target >= 0
    for smoothing in (0.0, 0.1):
        own = sg.tensor(np.split(logits, size, 1)[rank], requires_grad=True)
        picked = logits[np.arange(7), np.where(counted, target, 0)]
        each = logsumexp(logits, 1) - (1 - smoothing) * picked - smoothing * logits.mean(1)
        each = np.where(counted, each, 0)
        found = vocab_parallel_cross_entropy(own, sg.tensor(target), reduction="none", label_smoothing=smoothing)
        np.testing.assert_allclose(found.detach().numpy(), each, rtol=1e-12)
        mean = vocab_parallel_cross_entropy(own, sg.tensor(target), label_smoothing=smoothing)
        assert mean.item() == pytest.approx(each.sum() / 6, rel=1e-12)
        mean.backward()
        share = np.exp(logits - logsumexp(logits, 1)[:, None]) - smoothing / SLOTS
        share[np.arange(7)[counted], target[counted]] -= 1 - smoothing
        derivative = np.split(share * counted[:, None] / 6, size, 1)[rank]
        np.testing.assert_allclose(own.grad.numpy(), derivative, rtol=1e-10, atol=1e-14)
    with pytest.raises(IndexError, match=f"Target {SLOTS} is out of bounds"):
        vocab_parallel_cross_entropy(own, sg.full((7,), SLOTS))
