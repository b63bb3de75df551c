"""Memory formats, and the order of dimensions in memory that results take over from operands, as in PyTorch."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

SHAPE = (2, 3, 4, 5)
IN_CHANNELS = (60, 1, 15, 3)


def image(lib: Any, shape: tuple[int, ...] = SHAPE) -> Any:
    """Numbers that are all different, in rows."""
    return lib.arange(float(np.prod(shape))).reshape(shape) / 7 - 3


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": image,
    "channels last": lambda lib: image(lib).to(memory_format=lib.channels_last),
    "transposed": lambda lib: image(lib, (5, 3, 4, 2)).transpose(0, 3),
    "columns": lambda lib: image(lib, (2, 3, 4, 10))[..., ::2],
    "expanded": lambda lib: image(lib, (2, 1, 4, 5)).expand(SHAPE),
    "heads": lambda lib: image(lib, (2, 4, 3, 5)).transpose(1, 2),
}
OTHERS: dict[str, Callable[[Any], Any]] = {
    "number": lambda lib: 2.5,
    "rows": image,
    "channels last": LAYOUTS["channels last"],
    "channel": lambda lib: image(lib, (3, 1, 1)),
    "row": lambda lib: image(lib, (5,)),
    "transposed": lambda lib: image(lib, (5, 4)).t(),
    "0-d": lambda lib: lib.tensor(1.5),
}
ALONE: dict[str, Callable[[Any, Any], Any]] = {
    "exp": lambda lib, x: x.exp(),
    "neg": lambda lib, x: -x,
    "relu": lambda lib, x: lib.relu(x),
    "gelu": lambda lib, x: lib.nn.functional.gelu(x),
    "clamp": lambda lib, x: x.clamp(-1, 1),
    "isnan": lambda lib, x: x.isnan(),
    "double": lambda lib, x: x.double(),
    "int": lambda lib, x: x.int() + 1,
    "half": lambda lib, x: x.bfloat16() * 2,
    "clone": lambda lib, x: x.clone(),
    "zeros_like": lambda lib, x: lib.zeros_like(x),
    "empty_like": lambda lib, x: lib.empty_like(x, dtype=lib.int64),
    "full_like": lambda lib, x: lib.full_like(x, 2),
    "rand_like": lambda lib, x: lib.rand_like(x),
    "contiguous": lambda lib, x: x.contiguous(),
    "dropout": lambda lib, x: lib.nn.functional.dropout(x, 0.5),
}
PAIRS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda lib, x, y: x + y,
    "rsub": lambda lib, x, y: y - x,
    "lt": lambda lib, x, y: x < y,
    "where": lambda lib, x, y: lib.where(x > 0, x, y),
}


def stride_of(case: Callable[[Any], Any], lib: Any) -> tuple[tuple[int, ...], ...]:
    """Shape and strides of what a case gives, those of dimensions of size 1 left out: they do not matter."""
    t = case(lib)
    return tuple(t.shape), tuple(step for step, size in zip(t.stride(), t.shape, strict=True) if size != 1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_strides_are_those_of_torch(layout: str) -> None:
    """All element-wise ops, alone and in pairs of layouts, lay out results as PyTorch does: at each repetition."""
    torch = pytest.importorskip("torch")
    make = LAYOUTS[layout]
    for name, op in ALONE.items():
        expected = stride_of(lambda lib, op=op: op(lib, make(lib)), torch)
        for _ in range(3):
            assert stride_of(lambda lib, op=op: op(lib, make(lib)), sg) == expected, name
    for (name, pair), (kind, other) in itertools.product(PAIRS.items(), OTHERS.items()):
        expected = stride_of(lambda lib, pair=pair, other=other: pair(lib, make(lib), other(lib)), torch)
        for _ in range(3):
            found = stride_of(lambda lib, pair=pair, other=other: pair(lib, make(lib), other(lib)), sg)
            assert found == expected, (name, kind)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_do_not_depend_on_layouts(layout: str) -> None:
    """Results and gradients are those of operands in rows."""
    make = LAYOUTS[layout]
    for (name, pair), (kind, other) in itertools.product(PAIRS.items(), OTHERS.items()):
        if name == "lt":
            continue
        x, y = make(sg).clone(memory_format=sg.preserve_format), other(sg)
        rows = x.contiguous()
        for _ in range(3):
            with_layout, plain = (pair(sg, t.detach().requires_grad_(), y) for t in (x, rows))
            assert np.array_equal(with_layout.detach().numpy(), plain.detach().numpy()), (name, kind)
        for t in (x.requires_grad_(), rows.requires_grad_()):
            (pair(sg, t, y) * pair(sg, t, y).exp().clamp(max=2.0)).sum().backward()
        assert x.grad is not None and rows.grad is not None
        np.testing.assert_allclose(x.grad.numpy(), rows.grad.numpy(), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bfloat16", "complex64"])
def test_large_matrices(dtype: str, lib: Any) -> None:
    """Columns of many elements: dense ones, slices, and beside rows."""
    x = image(lib, (300, 200)).to(getattr(lib, dtype))
    columns, sliced, rows = x.t(), x.t()[::2], image(lib, (200, 300)).to(x.dtype)
    for given, expected, strides in (
        (columns * 2, x.contiguous() * 2, (1, 200)),
        (columns + rows, rows + columns.contiguous(), (1, 200)),
        (rows + columns, columns.contiguous() + rows, (300, 1)),
        (sliced + 1, sliced.contiguous() + 1, (1, 100)),
        (columns * rows[:, :1], columns.contiguous() * rows[:, :1], (1, 200)),
    ):
        assert given.stride() == strides
        plain = expected if expected.shape == given.shape else expected.t()
        assert lib.equal(given, plain)


def test_formats_of_a_tensor(lib: Any) -> None:
    """`contiguous`, `to`, `clone` and the functions that end in `_like` give the format that is asked for."""
    x = image(lib)
    y = x.contiguous(memory_format=lib.channels_last)
    assert y.stride() == IN_CHANNELS and not y.is_contiguous() and y.is_contiguous(memory_format=lib.channels_last)
    assert y.tolist() == x.tolist()
    assert y.contiguous(memory_format=lib.channels_last) is y and y.to(memory_format=lib.channels_last) is y
    assert x.to(lib.float64, memory_format=lib.channels_last).stride() == IN_CHANNELS
    assert x.clone(memory_format=lib.channels_last).stride() == IN_CHANNELS
    assert y.clone(memory_format=lib.contiguous_format).is_contiguous()
    assert lib.zeros_like(x, memory_format=lib.channels_last).stride() == IN_CHANNELS
    assert lib.ones_like(y, memory_format=lib.contiguous_format).is_contiguous()
    assert lib.empty(SHAPE, memory_format=lib.channels_last).stride() == IN_CHANNELS
    assert y.contiguous().stride() == x.stride() and y.double().stride() == IN_CHANNELS
    z = lib.empty(2, 3, 2, 2, 2, memory_format=lib.channels_last_3d)
    assert z.stride() == (24, 1, 12, 6, 3) and z.is_contiguous(memory_format=lib.channels_last_3d)


@pytest.mark.parametrize("shape", [(2, 1, 4, 5), (2, 3, 1, 1), (1, 1, 1, 1)])
def test_shapes_that_leave_the_format_open(shape: tuple[int, ...], lib: Any) -> None:
    """Where a size of 1 leaves the format open, a tensor has both, and `to` gives the strides that were asked for."""
    x = image(lib, shape)
    assert x.is_contiguous() and x.is_contiguous(memory_format=lib.channels_last)
    requested = x.to(memory_format=lib.channels_last)
    assert requested.stride()[1] == 1 and requested.is_contiguous()
    assert lib.relu(requested).shape == shape


def test_wrong_formats_are_refused(lib: Any) -> None:
    """A format of another number of dimensions, or one that says nothing, is a RuntimeError."""
    with pytest.raises(RuntimeError, match="required rank 4 tensor to use channels_last format"):
        lib.ones(2, 3).contiguous(memory_format=lib.channels_last)
    with pytest.raises(RuntimeError, match="required rank 5 tensor to use channels_last_3d format"):
        image(lib).to(memory_format=lib.channels_last_3d)
    with pytest.raises(RuntimeError, match="preserve"):
        lib.ones(2, 3).t().contiguous(memory_format=lib.preserve_format)
    with pytest.raises(RuntimeError, match="unsupported memory format"):
        lib.empty(2, 3, memory_format=lib.preserve_format)
    with pytest.raises(TypeError):
        lib.ones(2, 3).clone(memory_format="channels_last")


def test_gradients_through_formats() -> None:
    """A copy in another format is recorded: gradients come back, and views of it can be written to."""
    x = image(sg).requires_grad_()
    y = x.to(memory_format=sg.channels_last)
    weights = image(sg, SHAPE)
    (y * weights).sum().backward()
    assert x.grad is not None and np.array_equal(x.grad.numpy(), weights.numpy())
    z = x.detach().contiguous(memory_format=sg.channels_last)
    z[:, 1].mul_(2)
    assert np.array_equal(z.numpy()[:, 1], 2 * x.detach().numpy()[:, 1])
    assert x.detach().numpy()[0, 1, 0, 0] != z.numpy()[0, 1, 0, 0]


LAYERS: dict[str, Callable[[Any], Any]] = {
    "Conv2d": lambda nn: nn.Conv2d(3, 4, 2),
    "ConvTranspose2d": lambda nn: nn.ConvTranspose2d(3, 4, 2),
    "BatchNorm2d": lambda nn: nn.BatchNorm2d(3),
    "BatchNorm2d eval": lambda nn: nn.BatchNorm2d(3).eval(),
    "MaxPool2d": lambda nn: nn.MaxPool2d(2),
    "AvgPool2d": lambda nn: nn.AvgPool2d(2),
    "AdaptiveAvgPool2d": lambda nn: nn.AdaptiveAvgPool2d(2),
    "AdaptiveMaxPool2d": lambda nn: nn.AdaptiveMaxPool2d(2),
    "GroupNorm": lambda nn: nn.GroupNorm(3, 3),
    "PixelUnshuffle": lambda nn: nn.PixelUnshuffle(1),
    "ChannelShuffle": lambda nn: nn.ChannelShuffle(3),
    "Upsample": lambda nn: nn.Upsample(scale_factor=2),
    "Upsample bilinear": lambda nn: nn.Upsample(scale_factor=2, mode="bilinear"),
    "Dropout": lambda nn: nn.Dropout(),
    "ReLU": lambda nn: nn.ReLU(),
    "ZeroPad2d": lambda nn: nn.ZeroPad2d(1),
    "ReflectionPad2d": lambda nn: nn.ReflectionPad2d(1),
    "ReplicationPad2d": lambda nn: nn.ReplicationPad2d(1),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_keep_channels_last(name: str, lib: Any) -> None:
    """Layers for images give channels last for channels last, with the values that they give for rows."""
    lib.manual_seed(0)
    layer = LAYERS[name](lib.nn)
    x = image(lib)
    with_layout = layer(x.to(memory_format=lib.channels_last))
    assert with_layout.is_contiguous(memory_format=lib.channels_last) and not with_layout.is_contiguous()
    assert layer(x).is_contiguous()
    if name != "Dropout":
        for _ in range(2):
            again = layer(x.to(memory_format=lib.channels_last))
            assert again.stride() == with_layout.stride()
            np.testing.assert_allclose(again.detach().numpy(), layer(x).detach().numpy(), rtol=2e-5, atol=1e-5)


def test_indices_of_pooling_keep_channels_last(lib: Any) -> None:
    """Indices of maxima lie as the values do, and so does what is unpooled with them."""
    x = image(lib).to(memory_format=lib.channels_last)
    values, indices = lib.nn.functional.max_pool2d(x, 2, return_indices=True)
    assert values.stride() == indices.stride() and indices.is_contiguous(memory_format=lib.channels_last)
    again = lib.nn.functional.max_unpool2d(values, indices, 2, output_size=SHAPE[-2:])
    assert again.is_contiguous(memory_format=lib.channels_last)
    assert lib.equal(again, lib.where(again == x, x, 0.0)) and again.count_nonzero() == values.numel()


def test_modules_in_channels_last(lib: Any) -> None:
    """`Module.to(memory_format=)` converts parameters of four dimensions, whose gradients lie as they do."""
    net = lib.nn.Sequential(lib.nn.Conv2d(3, 4, 3), lib.nn.BatchNorm2d(4), lib.nn.ReLU())
    before = [p.tolist() for p in net.parameters()]
    assert net.to(memory_format=lib.channels_last) is net
    assert [p.tolist() for p in net.parameters()] == before
    assert net[0].weight.stride() == (27, 1, 9, 3) and net[0].bias.stride() == (1,)
    result = net(image(lib))
    assert result.is_contiguous(memory_format=lib.channels_last)
    result.square().sum().backward()
    assert net[0].weight.grad.stride() == (27, 1, 9, 3)
    converted = lib.nn.utils.convert_conv2d_weight_memory_format(lib.nn.Conv2d(3, 4, 3), lib.channels_last)
    assert converted.weight.stride() == (27, 1, 9, 3)


def test_concatenations(lib: Any) -> None:
    """A concatenation of tensors in one format has it; of several formats it lies in rows."""
    x = image(lib)
    y = x.to(memory_format=lib.channels_last)
    assert lib.cat([y, y], 1).is_contiguous(memory_format=lib.channels_last)
    assert lib.cat([y, x], 1).is_contiguous() and lib.cat([x, x], 1).is_contiguous()
    assert lib.cat([y, y], 1).tolist() == lib.cat([x, x], 1).tolist()


def test_results_can_be_viewed_as_operands(lib: Any) -> None:
    """What a program relies on: a result is turned back and viewed without a copy."""
    x = image(lib)
    transposed = x.permute(0, 2, 3, 1) * 2 + 1
    assert transposed.permute(0, 3, 1, 2).view(-1).tolist() == (x * 2 + 1).view(-1).tolist()
    with pytest.raises(RuntimeError):
        transposed.view(-1)
