"""Layers that pad, shuffle, fold and resample: what they compute and show of themselves, and what they refuse."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.nn.modules.against_torch import same_as_torch

F = sg.nn.functional
RNG = np.random.default_rng(0)
X = sg.arange(16.0).reshape(1, 1, 4, 4)

SHOWN = {
    "ZeroPad1d((2, 2))": lambda nn: nn.ZeroPad1d(2),
    "ZeroPad2d((1, 2, 3, 4))": lambda nn: nn.ZeroPad2d((1, 2, 3, 4)),
    "ConstantPad1d(padding=(2, 2), value=3.5)": lambda nn: nn.ConstantPad1d(2, 3.5),
    "ConstantPad3d(padding=(1, 1, 1, 1, 1, 1), value=2)": lambda nn: nn.ConstantPad3d(1, 2),
    "ReflectionPad2d((1, 1, 0, 0))": lambda nn: nn.ReflectionPad2d((1, 1, 0, 0)),
    "ReplicationPad1d((2, 1))": lambda nn: nn.ReplicationPad1d((2, 1)),
    "CircularPad2d((2, 2, 2, 2))": lambda nn: nn.CircularPad2d(2),
    "PixelShuffle(upscale_factor=2)": lambda nn: nn.PixelShuffle(2),
    "PixelUnshuffle(downscale_factor=2)": lambda nn: nn.PixelUnshuffle(2),
    "ChannelShuffle(groups=2)": lambda nn: nn.ChannelShuffle(2),
    "Fold(output_size=4, kernel_size=2, dilation=1, padding=0, stride=1)": lambda nn: nn.Fold(4, 2),
    "Unfold(kernel_size=2, dilation=1, padding=1, stride=1)": lambda nn: nn.Unfold(2, padding=1),
    "Upsample(size=(2, 3), mode='nearest')": lambda nn: nn.Upsample((2, 3)),
    "Upsample(scale_factor=(2.0, 3.0), mode='nearest')": lambda nn: nn.Upsample(scale_factor=(2, 3)),
    "UpsamplingNearest2d(size=2, mode='nearest')": lambda nn: nn.UpsamplingNearest2d(2),
    "UpsamplingBilinear2d(scale_factor=2.0, mode='bilinear')": lambda nn: nn.UpsamplingBilinear2d(scale_factor=2),
}


@pytest.mark.parametrize("text", SHOWN)
def test_what_layers_show(lib: Any, text: str) -> None:
    """Their arguments, as PyTorch writes them."""
    assert repr(SHOWN[text](lib.nn)) == text


def test_borders(lib: Any) -> None:
    """Each kind of border, for all numbers of dimensions, is that of NumPy."""
    modes = {"Reflection": "reflect", "Replication": "edge", "Circular": "wrap", "Zero": "constant"}
    for dims, pad in ((1, (2, 1)), (2, (2, 1, 1, 0)), (3, (2, 1, 1, 0, 0, 2))):
        x = RNG.standard_normal((2, 3, *(4, 3, 5)[:dims]))
        widths = [(0, 0), (0, 0), *zip(pad[-2::-2], pad[::-2], strict=True)]
        for kind, mode in modes.items():
            layer = getattr(lib.nn, f"{kind}Pad{dims}d")(pad)
            np.testing.assert_array_equal(layer(lib.from_numpy(x)).numpy(), np.pad(x, widths, mode=mode))


def test_folding_undoes_unfolding_up_to_counts(lib: Any) -> None:
    """fold(unfold(x)) is x times how many windows each pixel is in."""
    x = lib.from_numpy(RNG.standard_normal((2, 3, 5, 6)))
    kind = {"kernel_size": (3, 2), "padding": (1, 0), "stride": (2, 1)}
    counts = lib.nn.functional.unfold(lib.ones_like(x), **kind)
    fold = lib.nn.Fold((5, 6), **kind)
    found = fold(lib.nn.Unfold(**kind)(x))
    np.testing.assert_allclose(found.numpy(), (x * fold(counts)).numpy(), rtol=1e-12)


def test_linear_functions_are_interpolated_exactly(lib: Any) -> None:
    """With the corners aligned, a plane stays a plane, in any smooth mode."""
    rows, columns = np.mgrid[0:1:6j, 0:1:9j]
    plane = lib.from_numpy((2 * rows - columns)[None, None, ::5, ::4].copy())
    found = lib.nn.functional.interpolate(plane, (6, 9), mode="bilinear", align_corners=True)
    np.testing.assert_allclose(found[0, 0].numpy(), 2 * rows - columns, atol=1e-12)


def test_antialiasing_keeps_the_mean(lib: Any) -> None:
    """A smaller image of an image of one colour has that colour; of noise, about its mean."""
    noise = lib.from_numpy(RNG.standard_normal((1, 1, 40, 40)) + 3)
    for mode in ("bilinear", "bicubic"):
        found = lib.nn.functional.interpolate(noise, 4, mode=mode, antialias=True)
        assert abs(float(found.mean()) - 3) < 0.2
        assert float((found - 3).abs().max()) < 1


def test_the_identity_samples_the_image_itself(lib: Any) -> None:
    """A grid made from the unit matrix gives the image, whichever corners count."""
    x = lib.from_numpy(RNG.standard_normal((2, 3, 4, 5)))
    theta = lib.eye(2, 3, dtype=x.dtype).expand(2, 2, 3)
    for align in (True, False):
        for mode in ("bilinear", "nearest", "bicubic"):
            grid = lib.nn.functional.affine_grid(theta, (2, 3, 4, 5), align)
            found = lib.nn.functional.grid_sample(x, grid, mode, align_corners=align)
            np.testing.assert_allclose(found.numpy(), x.numpy(), atol=1e-12)


def test_integers_are_enlarged() -> None:
    """Pixels of integers are repeated as they are."""
    found = F.interpolate(sg.tensor([[[1, 250]]], dtype=sg.uint8), scale_factor=2)
    assert found.dtype is sg.uint8
    assert found.tolist() == [[[1, 1, 250, 250]]]


BYTES = [
    {"size": (7, 9), "mode": "bilinear"},
    {"size": (22, 8), "mode": "bilinear", "antialias": True},
    {"size": (26, 8), "mode": "bicubic", "align_corners": True},
    {"size": (7, 30), "mode": "bicubic", "antialias": True},
    {"size": (26, 8), "mode": "lanczos", "antialias": True},
]


@pytest.mark.parametrize("options", BYTES)
def test_images_of_bytes(lib: Any, options: dict[str, Any]) -> None:
    """In whole numbers: what floats give, rounded after rows and after columns, by coarser weights; just PyTorch's."""
    x = np.random.default_rng(0).integers(0, 256, (2, 3, 13, 17), np.uint8)
    found = F.interpolate(sg.tensor(x), **options)
    requested = (
        rounded_twice(x, **options) if lib is sg else lib.nn.functional.interpolate(lib.from_numpy(x), **options)
    )
    assert found.dtype is sg.uint8
    assert np.abs(found.numpy() - requested.numpy().astype(float)).max() <= (1 if lib is sg else 0)


def rounded_twice(x: Any, size: tuple[int, int], **kind: Any) -> sg.Tensor:
    """An image resampled along rows, then along columns, each time rounded to whole numbers from 0 to 255."""
    found = sg.tensor(x * 1.0)
    for step in ((x.shape[2], size[1]), size):
        found = (F.interpolate(found, step, **kind) + 0.5).floor().clamp(0, 255)
    return found


RESAMPLED = [
    ({"size": (7, 3), "mode": "nearest"}, 4),
    ({"scale_factor": 1.7, "mode": "nearest-exact"}, 4),
    ({"scale_factor": (0.6, 2.3), "mode": "bilinear"}, 4),
    ({"scale_factor": 1.7, "mode": "bicubic", "recompute_scale_factor": True}, 4),
    ({"size": 3, "mode": "bicubic", "antialias": True}, 4),
    ({"scale_factor": 0.5, "mode": "area"}, 5),
    ({"size": (3, 4, 5), "mode": "trilinear", "align_corners": True}, 5),
    ({"size": 9, "mode": "linear"}, 3),
]


@pytest.mark.parametrize(("options", "ndim"), RESAMPLED)
def test_resampling_is_pytorchs(options: dict[str, Any], ndim: int) -> None:
    """Values and gradients, where PyTorch is installed."""
    x = RNG.standard_normal((2, 2, 4, 5, 6)[:ndim])
    same_as_torch(lambda lib: resampled(lib, options), [x])


def resampled(lib: Any, options: dict[str, Any]) -> Any:
    class Layer(lib.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, x: Any) -> Any:
            return lib.nn.functional.interpolate(x, **options)

    return Layer()


ERRORS: list[tuple[type[Exception], Callable[[], Any]]] = [
    (ValueError, lambda: F.interpolate(X)),
    (ValueError, lambda: F.interpolate(X, 2, 2.0)),
    (ValueError, lambda: F.interpolate(X, (2, 2, 2))),
    (ValueError, lambda: F.interpolate(X, 2, align_corners=True)),
    (ValueError, lambda: F.interpolate(X, 2, antialias=True)),
    (ValueError, lambda: F.interpolate(X, 2, recompute_scale_factor=True)),
    (NotImplementedError, lambda: F.interpolate(X, 2, mode="linear")),
    (NotImplementedError, lambda: F.interpolate(X, 2, mode="quintic")),
    (NotImplementedError, lambda: F.interpolate(X[0, 0], 2)),
    (RuntimeError, lambda: F.interpolate(X, 0)),
    (RuntimeError, lambda: F.interpolate(X, scale_factor=0.1)),
    (TypeError, lambda: F.interpolate(X, 2.5)),  # type: ignore[arg-type]
    (ValueError, lambda: F.grid_sample(X, sg.zeros(1, 1, 1, 2), "cubic")),
    (ValueError, lambda: F.grid_sample(X, sg.zeros(1, 1, 1, 2), padding_mode="circle")),
    (RuntimeError, lambda: F.grid_sample(X, sg.zeros(1, 1, 1, 3), align_corners=True)),
    (RuntimeError, lambda: F.grid_sample(X, sg.zeros(2, 1, 1, 2), align_corners=True)),
    (RuntimeError, lambda: F.grid_sample(X[None], sg.zeros(1, 1, 1, 1, 3), "bicubic", align_corners=True)),
    (ValueError, lambda: F.affine_grid(sg.ones(1, 2, 2), (1, 1, 2, 2), False)),
    (NotImplementedError, lambda: F.affine_grid(sg.ones(1, 2, 3), (1, 1, 2), False)),
    (RuntimeError, lambda: F.unfold(X, 5)),
    (RuntimeError, lambda: F.unfold(X, 2, stride=0)),
    (RuntimeError, lambda: F.unfold(X[..., :0], 2)),
    (RuntimeError, lambda: F.fold(sg.ones(1, 4, 8), 4, 2)),
    (RuntimeError, lambda: F.fold(sg.ones(1, 5, 9), 4, 2)),
    (RuntimeError, lambda: F.pixel_shuffle(X, 2)),
    (RuntimeError, lambda: F.pixel_unshuffle(X, 3)),
    (RuntimeError, lambda: F.channel_shuffle(X, 2)),
    (NotImplementedError, lambda: sg.nn.ReflectionPad2d((1, 2, 0, 0))(X[0, 0])),
    (ValueError, lambda: sg.nn.CircularPad1d(1)(X)),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number: int) -> None:
    """Bad arguments are errors of PyTorch's classes."""
    kind, call = ERRORS[number]
    with pytest.raises(kind):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: F.grid_sample(X, sg.zeros(1, 1, 1, 2)), "Default grid_sample and affine_grid behavior has changed"),
        (lambda: F.affine_grid(sg.ones(1, 2, 3), (1, 1, 2, 2)), "Default grid_sample and affine_grid behavior"),
        (lambda: F.affine_grid(sg.ones(1, 2, 3), (1, 1, 1, 2), True), "for unit-size grids when align_corners=True"),
        (lambda: F.upsample(X, 2), "`nn.functional.upsample` is deprecated"),
        (lambda: F.upsample_nearest(X, 2), "`nn.functional.upsample_nearest` is deprecated"),
        (lambda: F.upsample_bilinear(X, 2), "`nn.functional.upsample_bilinear` is deprecated"),
    ],
)
def test_warnings(call: Any, message: str) -> None:
    """Each time, as PyTorch's."""
    for _ in range(2):
        with pytest.warns(UserWarning, match=message):
            call()
