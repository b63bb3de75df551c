"""Printing: the text is PyTorch's, character for character (captured from PyTorch, its name replaced)."""

from collections.abc import Iterator
from math import inf, nan
from typing import Any

import pytest

import specgrad as sg
from specgrad import arange, ones, tensor, zeros

ONE_LINE = [
    (tensor(1.0), "tensor(1.)"),
    (tensor(-1.5), "tensor(-1.5000)"),
    (tensor(3), "tensor(3)"),
    (tensor(True), "tensor(True)"),
    (tensor(1j), "tensor(0.+1.j)"),
    (tensor(nan), "tensor(nan)"),
    (tensor(1e-10), "tensor(1.0000e-10)"),
    (tensor([]), "tensor([])"),
    (zeros(0, 3), "tensor([], size=(0, 3))"),
    (zeros(2, 0, 3), "tensor([], size=(2, 0, 3))"),
    (tensor([], dtype=sg.int64), "tensor([], dtype=specgrad.int64)"),
    (zeros(0, 3, dtype=sg.bool), "tensor([], size=(0, 3), dtype=specgrad.bool)"),
    (tensor([1.0, 2.5, -3.0]), "tensor([ 1.0000,  2.5000, -3.0000])"),
    (tensor([1.0, 2.0]), "tensor([1., 2.])"),
    (tensor([0.0, -0.0]), "tensor([0., -0.])"),
    (tensor([1e8, 1.0]), "tensor([1.0000e+08, 1.0000e+00])"),
    (tensor([1e9, 2.0]), "tensor([1.0000e+09, 2.0000e+00])"),
    (tensor([1.0, 1000.0]), "tensor([   1., 1000.])"),
    (tensor([0.5, 1001.0]), "tensor([5.0000e-01, 1.0010e+03])"),
    (tensor([1e-5, 1.0]), "tensor([1.0000e-05, 1.0000e+00])"),
    (tensor([inf, -inf, 1.0]), "tensor([inf, -inf, 1.])"),
    (tensor([nan, 1.5, -inf]), "tensor([   nan, 1.5000,   -inf])"),
    (tensor([inf, nan]), "tensor([inf, nan])"),
    (tensor([100, -5, 7]), "tensor([100,  -5,   7])"),
    (tensor([True, False]), "tensor([ True, False])"),
    (tensor([1.5], dtype=sg.float64), "tensor([1.5000], dtype=specgrad.float64)"),
    (tensor([1.5], dtype=sg.float16), "tensor([1.5000], dtype=specgrad.float16)"),
    (tensor([1.5], dtype=sg.bfloat16), "tensor([1.5000], dtype=specgrad.bfloat16)"),
    (tensor([1, 2], dtype=sg.int32), "tensor([1, 2], dtype=specgrad.int32)"),
    (tensor([1, 2], dtype=sg.uint8), "tensor([1, 2], dtype=specgrad.uint8)"),
    (
        tensor([1 + 2j, -3.5j, 1e3 + 1e-3j]),
        "tensor([   1.+2.0000e+00j,   -0.-3.5000e+00j, 1000.+1.0000e-03j])",
    ),
    (tensor([complex(nan, 1), complex(1, -inf)]), "tensor([nan+1.j, 1.-infj])"),
    (tensor([1 + 0j, 2 - 1j], dtype=sg.complex128), "tensor([1.+0.j, 2.-1.j], dtype=specgrad.complex128)"),
    (arange(1001), "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
    (ones(2, requires_grad=True), "tensor([1., 1.], requires_grad=True)"),
    (tensor(2.0, requires_grad=True) * 2, "tensor(4., grad_fn=<MulBackward0>)"),
    (
        ones(12, requires_grad=True),
        "tensor([1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.], requires_grad=True)",
    ),
]


@pytest.mark.parametrize(("made", "text"), ONE_LINE, ids=lambda p: p if isinstance(p, str) else "")
def test_one_line(made: sg.Tensor, text: str) -> None:
    """Widths, notation, signs, and what is said after the numbers."""
    assert repr(made) == str(made) == text


MATRIX = """
tensor([[1., 1.],
        [1., 1.]], dtype=specgrad.float64, requires_grad=True)
"""
CUBE = """
tensor([[[ 0,  1,  2,  3],
         [ 4,  5,  6,  7],
         [ 8,  9, 10, 11]],

        [[12, 13, 14, 15],
         [16, 17, 18, 19],
         [20, 21, 22, 23]]])
"""
WRAPPED = """
tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,
        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
"""
WIDE = """
tensor([1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.,
        1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.,
        1., 1., 1., 1.], requires_grad=True)
"""
SUMMARY = """
tensor([[[   0,    1,    2,  ...,   57,   58,   59],
         [  60,   61,   62,  ...,  117,  118,  119]],

        [[ 120,  121,  122,  ...,  177,  178,  179],
         [ 180,  181,  182,  ...,  237,  238,  239]],

        [[ 240,  241,  242,  ...,  297,  298,  299],
         [ 300,  301,  302,  ...,  357,  358,  359]],

        ...,

        [[2040, 2041, 2042,  ..., 2097, 2098, 2099],
         [2100, 2101, 2102,  ..., 2157, 2158, 2159]],

        [[2160, 2161, 2162,  ..., 2217, 2218, 2219],
         [2220, 2221, 2222,  ..., 2277, 2278, 2279]],

        [[2280, 2281, 2282,  ..., 2337, 2338, 2339],
         [2340, 2341, 2342,  ..., 2397, 2398, 2399]]])
"""
ROWS = """
tensor([[   0,    1,    2,  ...,  997,  998,  999],
        [1000, 1001, 1002,  ..., 1997, 1998, 1999]])
"""


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (ones(2, 2, dtype=sg.float64, requires_grad=True), MATRIX),
        (arange(24).reshape((2, 3, 4)), CUBE),
        (arange(30), WRAPPED),
        (ones(40, requires_grad=True), WIDE),
        (arange(2400).reshape((20, 2, 60)), SUMMARY),
        (arange(2000).reshape((2, 1000)), ROWS),
    ],
)
def test_many_lines(made: sg.Tensor, text: str) -> None:
    """Rows are aligned and wrapped at 80 characters; over 1000 elements only three at each end are shown."""
    assert repr(made) == text.strip()


@pytest.fixture
def options() -> Iterator[Any]:
    """set_printoptions, undone afterwards."""
    yield sg.set_printoptions
    sg.set_printoptions(profile="default")


def test_precision(options: Any) -> None:
    """precision is the number of digits after the point."""
    options(precision=2)
    assert repr(tensor([1.0, 2.345])) == "tensor([1.00, 2.35])"


def test_sci_mode(options: Any) -> None:
    """sci_mode forces or forbids scientific notation; left out, the values decide again."""
    options(sci_mode=True)
    assert repr(tensor([1.5])) == "tensor([1.5000e+00])"
    options(sci_mode=False)
    assert repr(tensor([1e-9, 1.0])) == "tensor([0.0000, 1.0000])"
    options()
    assert repr(tensor([1e-9, 1.0])) == "tensor([1.0000e-09, 1.0000e+00])"


def test_threshold_edgeitems_linewidth(options: Any) -> None:
    """Summaries start over `threshold` elements with `edgeitems` at each end, in lines of `linewidth`."""
    options(threshold=5, edgeitems=1)
    assert repr(arange(6)) == "tensor([0,  ..., 5])"
    options(profile="default", linewidth=20)
    assert repr(arange(6)) == "tensor([0, 1, 2, 3,\n        4, 5])"


def test_profiles(options: Any) -> None:
    """The profile "short" has two digits and two items, "full" never summarises."""
    options(profile="short")
    assert repr(arange(1001) * 0.5) == "tensor([  0.00,   0.50,  ..., 499.50, 500.00])"
    options(profile="full")
    assert "..." not in repr(arange(1001))
    with pytest.raises(ValueError, match="profile must be one of default, short, full, not 'long'"):
        options(profile="long")


def test_default_dtype_is_not_said(options: Any) -> None:
    """The suffix dtype= is left out for the default dtype, whichever it is."""
    sg.set_default_dtype(sg.float64)
    try:
        assert repr(tensor([1.0])) == "tensor([1.])"
        assert repr(tensor([1.0], dtype=sg.float32)) == "tensor([1.], dtype=specgrad.float32)"
    finally:
        sg.set_default_dtype(sg.float32)


def test_views_print_their_own_elements() -> None:
    """A strided view prints as the copy of it does."""
    x = arange(12).reshape((3, 4))
    assert repr(x[:, ::2]) == repr(tensor([[0, 2], [4, 6], [8, 10]]))
