"""Whole models: two implementations of ONNX compute of the exported file what the module does."""

from __future__ import annotations

import importlib.util
import io
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn
from specgrad.nn import functional as F

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.cpu("a graph is recorded on the host")
RUNTIME = importlib.util.find_spec("onnxruntime") is not None


class Block(nn.Module):
    """A residual block."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(out)
        self.second = nn.Conv2d(out, out, 3, padding=1, bias=False)
        self.last = nn.BatchNorm2d(out)
        self.relu = nn.ReLU(inplace=True)
        self.short = nn.Sequential(nn.Conv2d(channels, out, 1, stride), nn.BatchNorm2d(out))

    def forward(self, x: Any) -> Any:
        found = self.last(self.second(self.relu(self.norm(self.first(x)))))
        found += self.short(x)
        return self.relu(found)


class ResNet(nn.Module):
    """A small residual network."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.layers = nn.Sequential(Block(8, 8, 1), Block(8, 16, 2))
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.head = nn.Linear(16, 5)

    def forward(self, x: Any) -> Any:
        return self.head(sg.flatten(self.pool(self.layers(self.stem(x))), 1))


class Recurrent(nn.Module):
    """Words to classes by a recurrent network."""

    def __init__(self, kind: Any, **options: Any) -> None:
        super().__init__()
        self.slot_values = nn.Embedding(20, 6)
        self.layer = kind(6, 5, batch_first=True, **options)
        self.head = nn.Linear(10 if options.get("bidirectional") else 5, 3)

    def forward(self, slot_values: Any) -> Any:
        found, _ = self.layer(self.slot_values(slot_values))
        return self.head(found[:, -1])


class Attention(nn.Module):
    """Causal self-attention written by hand."""

    def __init__(self, size: int, heads: int, longest: int) -> None:
        super().__init__()
        self.qkv, self.out, self.heads = nn.Linear(size, 3 * size), nn.Linear(size, size), heads
        self.register_buffer("mask", sg.tril(sg.ones(longest, longest)).view(1, 1, longest, longest))

    def forward(self, x: Any) -> Any:
        batch, length, size = x.size()
        q, k, v = (
            part.view(batch, length, self.heads, size // self.heads).transpose(1, 2)
            for part in self.qkv(x).split(size, dim=2)
        )
        scores = (q @ k.transpose(-2, -1)) * (1.0 / (k.size(-1) ** 0.5))
        scores = scores.masked_fill(self.mask[:, :, :length, :length] == 0, float("-inf"))
        found = F.softmax(scores, dim=-1) @ v
        return self.out(found.transpose(1, 2).contiguous().view(batch, length, size))


class GPT(nn.Module):
    """A small GPT."""

    def __init__(self, size: int = 8, heads: int = 2, longest: int = 40) -> None:
        super().__init__()
        self.slot_values, self.positions = nn.Embedding(30, size), nn.Embedding(longest, size)
        self.norms = nn.ModuleList([nn.LayerNorm(size) for _ in range(5)])
        self.attentions = nn.ModuleList([Attention(size, heads, longest) for _ in range(2)])
        self.mlps = nn.ModuleList(
            [nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size)) for _ in range(2)]
        )
        self.drop = nn.Dropout(0.1)

    def forward(self, slot_values: Any) -> Any:
        positions = sg.arange(0, slot_values.size(1), dtype=sg.long).unsqueeze(0)
        x = self.drop(self.slot_values(slot_values) + self.positions(positions))
        for number in range(2):
            x = x + self.attentions[number](self.norms[2 * number](x))
            x = x + self.mlps[number](self.norms[2 * number + 1](x))
        return self.norms[4](x) @ self.slot_values.weight.t()


class UNet(nn.Module):
    """A small U-Net, which goes up once by a transposed convolution and once by interpolation."""

    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2 = nn.Conv2d(2, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)
        self.center = nn.Conv2d(8, 8, 3, padding=1)
        self.up = nn.ConvTranspose2d(8, 8, 2, stride=2)
        self.join1, self.join2 = nn.Conv2d(16, 4, 3, padding=1), nn.Conv2d(8, 2, 1)
        self.norm = nn.GroupNorm(2, 8)

    def forward(self, x: Any) -> Any:
        first = F.relu(self.down1(x))
        second = F.relu(self.norm(self.down2(F.max_pool2d(first, 2))))
        center = F.leaky_relu(self.center(F.avg_pool2d(second, 2)))
        found = F.relu(self.join1(sg.cat([self.up(center), second], dim=1)))
        found = F.interpolate(found, scale_factor=2, mode="bilinear", align_corners=False)
        return self.join2(sg.cat([found, first], 1))


class Squeeze(nn.Module):
    """A MobileNet block: expand, by channel, squeeze and excite, project."""

    def __init__(self) -> None:
        super().__init__()
        self.expand = nn.Sequential(nn.Conv2d(4, 12, 1, bias=False), nn.BatchNorm2d(12), nn.Hardswish())
        self.wise = nn.Sequential(nn.Conv2d(12, 12, 3, 2, 1, groups=12), nn.BatchNorm2d(12), nn.Hardswish())
        self.gate = nn.Sequential(nn.Conv2d(12, 3, 1), nn.ReLU(), nn.Conv2d(3, 12, 1), nn.Hardsigmoid())
        self.project = nn.Sequential(nn.Conv2d(12, 4, 1), nn.BatchNorm2d(4), nn.ReLU6())

    def forward(self, x: Any) -> Any:
        found = self.wise(self.expand(x))
        return self.project(found * self.gate(found.mean((2, 3), keepdim=True)))


class Bags(nn.Module):
    """Texts as bags of words."""

    def __init__(self) -> None:
        super().__init__()
        self.slot_values, self.head = nn.EmbeddingBag(20, 6, mode="mean"), nn.Linear(6, 4)

    def forward(self, slot_values: Any, starts: Any) -> Any:
        return self.head(self.slot_values(slot_values, starts))


class Encoder(nn.Module):
    """A transformer's encoder with a mask of padding."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **options)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x: Any, padding: Any) -> Any:
        return self.layers(x, src_key_padding_mask=padding)


class Heads(nn.Module):
    """MultiheadAttention with its weights."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x: Any, y: Any) -> Any:
        return self.attention(x, y, y)


def _names(*shape: int, high: int = 20) -> Any:
    return sg.randint(0, high, shape)


def _images(*shape: int) -> Any:
    return sg.randn(*shape)


MODELS: dict[str, tuple[Any, tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]] = {
    "mlp": (
        lambda: nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(), nn.Linear(8, 2), nn.LogSoftmax(1)),
        (lambda n: _images(n, 4),),
        ({0: "batch"},),
        (),
    ),
    "resnet": (ResNet, (lambda n: _images(n, 3, 33, 33),), ({0: "batch"},), ()),
    "lstm": (lambda: Recurrent(nn.LSTM), (lambda n: _names(n, 7),), ({0: "batch"},), ()),
    "lstm in both directions": (
        lambda: Recurrent(nn.LSTM, bidirectional=True, num_layers=2),
        (lambda n: _names(n, 4),),
        ({0: "batch"},),
        (),
    ),
    "gru": (lambda: Recurrent(nn.GRU, bias=False), (lambda n: _names(n, 5),), ({0: "batch"},), ()),
    "rnn": (lambda: Recurrent(nn.RNN), (lambda n: _names(n, 5),), ({0: "batch"},), ()),
    "encoder": (
        Encoder,
        (lambda n: _images(n, 5, 8), lambda n: sg.arange(5) > sg.tensor([3] * n).view(n, 1)),
        ({0: "batch"}, {0: "batch"}),
        (),
    ),
    "encoder, norms first": (
        lambda: Encoder(norm_first=True, activation="gelu"),
        (lambda n: _images(n, 5, 8), lambda n: sg.arange(5) > sg.tensor([3] * n).view(n, 1)),
        ({0: "batch"}, {0: "batch"}),
        (),
    ),
    "heads": (Heads, (lambda n: _images(n, 3, 8), lambda n: _images(n, 5, 8)), ({0: "batch"}, {0: "batch"}), ()),
    "gpt": (GPT, (lambda n: _names(n, 2 * n),), ({0: "batch", 1: "length"},), ()),
    "unet": (UNet, (lambda n: _images(n, 2, 12, 16),), ({0: "batch"},), ()),
    "squeeze": (Squeeze, (lambda n: _images(n, 4, 9, 9),), ({0: "batch"},), ()),
    "bags": (Bags, (lambda n: _names(4 * n), lambda n: sg.arange(0, 4 * n, 4)), ({0: "slot_values"}, {0: "bags"}), ()),
}


def _arrays(values: Any) -> list[Any]:
    values = [values] if isinstance(values, sg.Tensor) else values
    return [value.detach().numpy() for value in values]


def _agree(program: Any, model: Any, inputs: tuple[Any, ...]) -> None:
    requested = _arrays(model(*inputs))
    runs = [program.call_reference, *([program] if RUNTIME else [])]
    for run in runs:
        for found, value in zip(_arrays(run(*inputs)), requested, strict=True):
            assert found.shape == value.shape
            assert found.dtype == value.dtype
            np.testing.assert_allclose(found, value, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_fixed_sizes_gives_the_same(name: str) -> None:
    """For inputs of the shapes that it was exported with."""
    make, inputs, _, _ = MODELS[name]
    model, given = make(), tuple(each(2) for each in inputs)
    program = sg.onnx.export(model, given)
    onnx.checker.check_model(program.model_proto, full_check=True)
    _agree(program, model.eval(), given)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_dynamic_sizes_gives_the_same_for_others(name: str) -> None:
    """For larger batches than it was exported with, and for a batch of one."""
    make, inputs, axes, _ = MODELS[name]
    model = make()
    program = sg.onnx.export(model, tuple(each(2) for each in inputs), dynamic_shapes=axes)
    onnx.checker.check_model(program.model_proto, full_check=True)
    for size in (1, 2, 5):
        _agree(program, model.eval(), tuple(each(size) for each in inputs))


def test_the_file_that_is_written_can_be_run() -> None:
    """A path and an open file get the same bytes, and parameters have the names of the state dict."""
    model, file = nn.Sequential(nn.Linear(3, 2)), io.BytesIO()
    assert sg.onnx.export(model, (sg.ones(1, 3),), file, dynamo=False, input_names=["x"], output_names=["y"]) is None
    proto = onnx.load_from_string(file.getvalue())
    assert [value.name for value in proto.graph.initializer] == ["0.weight", "0.bias"]
    assert [value.name for value in proto.graph.input] == ["x"]
    assert [value.name for value in proto.graph.output] == ["y"]
