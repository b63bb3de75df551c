"""Layers and functions that pad, shuffle, fold and resample, with examples of their inputs: see layer_cases.py."""

from __future__ import annotations

from specgrad import nn
from tests.nn.vmap.cases import Case, quietly, reals

F = nn.functional

IMAGE_LAYERS = {
    "ChannelShuffle": Case(lambda: nn.ChannelShuffle(2), [reals(2, 4, 3)]),
    "CircularPad1d": Case(lambda: nn.CircularPad1d(2), [reals(2, 3)]),
    "CircularPad2d": Case(lambda: nn.CircularPad2d((1, 0, 2, 1)), [reals(2, 2, 3, 4)]),
    "CircularPad3d": Case(lambda: nn.CircularPad3d(1), [reals(1, 2, 1, 2)]),
    "ConstantPad1d": Case(lambda: nn.ConstantPad1d((1, -1), 2.5), [reals(2, 3)]),
    "ConstantPad2d": Case(lambda: nn.ConstantPad2d(1, 2.5), [reals(2, 3)]),
    "ConstantPad3d": Case(lambda: nn.ConstantPad3d(1, 2.5), [reals(1, 2, 1, 2)]),
    "Fold": Case(lambda: nn.Fold((3, 4), 2), [reals(1, 8, 6)]),
    "PixelShuffle": Case(lambda: nn.PixelShuffle(2), [reals(4, 2, 1)]),
    "PixelUnshuffle": Case(lambda: nn.PixelUnshuffle(2), [reals(2, 1, 4, 2)]),
    "ReflectionPad1d": Case(lambda: nn.ReflectionPad1d(2), [reals(2, 3)]),
    "ReflectionPad2d": Case(lambda: nn.ReflectionPad2d((1, 0, 2, 1)), [reals(2, 2, 3, 4)]),
    "ReflectionPad3d": Case(lambda: nn.ReflectionPad3d(1), [reals(1, 2, 2, 2)]),
    "ReplicationPad1d": Case(lambda: nn.ReplicationPad1d((2, -1)), [reals(2, 3)]),
    "ReplicationPad2d": Case(lambda: nn.ReplicationPad2d((1, 0, 2, 1)), [reals(2, 2, 3, 4)]),
    "ReplicationPad3d": Case(lambda: nn.ReplicationPad3d(1), [reals(1, 2, 1, 2)]),
    "Unfold": Case(lambda: nn.Unfold(2, padding=1, stride=2), [reals(2, 1, 3, 4)]),
    "Upsample": Case(lambda: nn.Upsample(scale_factor=2, mode="bicubic"), [reals(1, 2, 2, 3)]),
    "UpsamplingBilinear2d": Case(lambda: nn.UpsamplingBilinear2d(scale_factor=2), [reals(1, 2, 2, 3)]),
    "UpsamplingNearest2d": Case(lambda: nn.UpsamplingNearest2d((3, 2)), [reals(1, 2, 2, 3)]),
    "ZeroPad1d": Case(lambda: nn.ZeroPad1d(1), [reals(2, 3)]),
    "ZeroPad2d": Case(lambda: nn.ZeroPad2d((1, 0, 2, -1)), [reals(2, 3, 4)]),
    "ZeroPad3d": Case(lambda: nn.ZeroPad3d(1), [reals(1, 2, 1, 2)]),
}
IMAGE_FUNCTIONS = {
    "affine_grid": Case(lambda: lambda x: F.affine_grid(x, (1, 1, 2, 3), False), [reals(1, 2, 3)]),
    "channel_shuffle": Case(lambda: lambda x: F.channel_shuffle(x, 2), [reals(2, 4, 3)]),
    "fold": Case(lambda: lambda x: F.fold(x, (3, 4), 2), [reals(8, 6)]),
    "grid_sample": Case(
        lambda: lambda x, g: F.grid_sample(x, g.tanh(), align_corners=False), [reals(1, 2, 3, 4), reals(1, 2, 2, 2)]
    ),
    "interpolate": Case(lambda: lambda x: F.interpolate(x, 5, mode="linear"), [reals(1, 2, 3)]),
    "pixel_shuffle": Case(lambda: lambda x: F.pixel_shuffle(x, 2), [reals(4, 2, 1)]),
    "pixel_unshuffle": Case(lambda: lambda x: F.pixel_unshuffle(x, 2), [reals(1, 4, 2)]),
    "unfold": Case(lambda: lambda x: F.unfold(x, 2), [reals(1, 3, 4)]),
    "upsample": Case(lambda: lambda x: quietly(F.upsample, x, 5), [reals(1, 2, 3)]),
    "upsample_bilinear": Case(lambda: lambda x: quietly(F.upsample_bilinear, x, (3, 5)), [reals(1, 1, 2, 2)]),
    "upsample_nearest": Case(lambda: lambda x: quietly(F.upsample_nearest, x, scale_factor=2), [reals(1, 2, 3)]),
}
