"""The bounds of `random_`: to the ends of every dtype, and PyTorch's words where floats cannot hold them."""

from typing import Any

import pytest

import specgrad as sg


def drawn(dtype: Any, *bounds: Any) -> Any:
    """A thousand numbers."""
    sg.manual_seed(0)
    return sg.zeros(1000, dtype=dtype).random_(*bounds)


@pytest.mark.parametrize("dtype", [sg.int8, sg.int16, sg.int32, sg.int64, sg.uint8])
def test_all_integers(dtype: Any) -> None:
    """An upper bound of None is the end of the dtype; so half of the numbers of a signed one are negative."""
    limits = sg.iinfo(dtype)
    x = drawn(dtype, limits.min, None)
    assert x.max() > limits.max // 2 and abs((x < 0).sum().item() - (500 if limits.min else 0)) < 60
    assert drawn(dtype, limits.max, None).unique().tolist() == [limits.max]
    assert drawn(dtype, limits.max - 1, limits.max).unique().tolist() == [limits.max - 1]
    assert drawn(dtype).min() >= 0


@pytest.mark.parametrize(("dtype", "exact"), [(sg.float16, 2**11), (sg.bfloat16, 2**8), (sg.float32, 2**24)])
def test_floats(dtype: Any, exact: int) -> None:
    """None is the last number of a row without gaps; numbers beyond it are drawn with a warning, inside the bounds."""
    x = drawn(dtype, -10, None)
    assert x.min() >= -10 and x.max() <= exact and x.max() > exact / 2
    with pytest.warns(UserWarning, match=rf"to - 1 is out of bounds \[-{exact}, {exact}\]"):
        x = drawn(dtype, 0, exact + exact // 2 + 1)
    assert x.double().max() < exact + exact // 2 + 1


def test_bounds_that_do_not_fit() -> None:
    """float16 ends at 65504."""
    with pytest.raises(RuntimeError, match="from is out of bounds"):
        drawn(sg.float16, -(2**40), 0)
    with pytest.raises(RuntimeError, match="to - 1 is out of bounds"):
        drawn(sg.float16, 0, 2**40)
    for bounds in ((0,), (-10,), (5, 5)):
        with pytest.raises(RuntimeError, match="expected low to be less than high"):
            drawn(sg.float32, *bounds)
