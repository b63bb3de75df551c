"""Copies on a device with dimensions taken apart and put together in another order: one launch each."""

from __future__ import annotations

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching.moving import pinned_reader
from ...cuda.views import permuted
from . import cpu_shuffles as cpu


@pinned_reader(cpu.channels_to_pixels)
def channels_to_pixels(a: DeviceArray, factor: int) -> DeviceArray:
    return _shuffled(a, cpu.to_pixels(a.shape, factor))


@pinned_reader(cpu.pixels_to_channels)
def pixels_to_channels(a: DeviceArray, factor: int) -> DeviceArray:
    return _shuffled(a, cpu.to_channels(a.shape, factor))


@pinned_reader(cpu.shuffled_channels)
def shuffled_channels(a: DeviceArray, groups: int) -> DeviceArray:
    return _shuffled(a, cpu.to_shuffled_groups(a.shape, groups))


def _shuffled(a: DeviceArray, how: cpu.Shuffle) -> DeviceArray:
    parts = permuted(memory.in_order(a).reshape(sum(how.parts, ())), *how.order)
    return memory.result_of(parts).reshape(how.shape)
