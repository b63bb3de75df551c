"""Convolutions and means of whole numbers: exact, where floats would round, and wrapping around as integers do."""

import numpy as np
import pytest

import specgrad as sg
import specgrad.nn.functional as F

RNG = np.random.default_rng(1)


@pytest.mark.parametrize("stride, padding, dilation, groups", [(1, 0, 1, 1), (2, 1, 1, 2), (1, 2, 2, 1), (3, 1, 2, 2)])
def test_as_floats(stride: int, padding: int, dilation: int, groups: int) -> None:
    """Small numbers give what float64 gives, forward and transposed, in any number of dimensions."""
    for dims in (1, 2, 3):
        x = sg.tensor(RNG.integers(-9, 9, (2, 4, *(7, 8, 9)[:dims])))
        weight = sg.tensor(RNG.integers(-9, 9, (6, 4 // groups, *(3, 2, 2)[:dims])))
        bias = sg.tensor(RNG.integers(-9, 9, 6))
        how = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        conv, back = getattr(F, f"conv{dims}d"), getattr(F, f"conv_transpose{dims}d")
        found = conv(x, weight, bias, **how)
        assert found.dtype is sg.int64
        assert sg.equal(found.double(), conv(x.double(), weight.double(), bias.double(), **how))
        assert sg.equal(back(found, weight, **how).double(), back(found.double(), weight.double(), **how))


def test_beyond_floats() -> None:
    """2^62 + 1 is exact, and what overflows wraps around."""
    x = sg.tensor([[2**62, 1]])
    assert F.conv1d(x, sg.tensor([[[1, 1]]])).item() == 2**62 + 1
    assert F.conv1d(x, sg.tensor([[[4, 3]]])).item() == 3
    small = F.conv1d(sg.tensor([[100, 100]], dtype=sg.int8), sg.tensor([[[1, 1]]], dtype=sg.int8))
    assert small.dtype is sg.int8 and small.item() == -56


def test_means_are_cut_off() -> None:
    """Towards 0, by the number of elements or by what the call says, with and without what lies outside."""
    x = sg.tensor([[-7, 0, 8, 5]])
    assert F.avg_pool1d(x, 2).tolist() == [[-3, 6]]
    assert F.avg_pool1d(x, 3, 1, 1).tolist() == [[-2, 0, 4, 4]]
    assert F.avg_pool1d(x, 3, 1, 1, False, False).tolist() == [[-3, 0, 4, 6]]
    assert F.avg_pool1d(x, 3, 3, 0, True).tolist() == [[0, 5]]
    plane = sg.arange(16).reshape(1, 4, 4)
    assert F.avg_pool2d(plane, 2, divisor_override=-3).tolist() == [[[-3, -6], [-14, -16]]]
