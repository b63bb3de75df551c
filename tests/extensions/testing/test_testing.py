"""`testing`: what is close and what is said of the rest, and random tensors."""

from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.cpu("comparisons are made on the CPU")
PAIRS: dict[str, Any] = {
    "values": lambda lib: (lib.tensor([1.0, 2.0, 3.0]), lib.tensor([1.0, 2.0, 4.0])),
    "no dimensions": lambda lib: (lib.tensor(1.0), lib.tensor(2.0)),
    "nan": lambda lib: (lib.tensor(float("nan")), lib.tensor(float("nan"))),
    "numbers": lambda lib: (1.0, 1.1),
    "integers": lambda lib: (1, 2),
    "bools": lambda lib: (True, False),
    "classes of numbers": lambda lib: (1, 1.0),
    "lists": lambda lib: ([1, lib.ones(2)], [1, lib.zeros(2)]),
    "lengths": lambda lib: ([1], [1, 2]),
    "keys": lambda lib: ({"a": 1}, {"b": 1}),
    "nested": lambda lib: ({"a": [1, (2, 3)]}, {"a": [1, (2, 4)]}),
    "shapes": lambda lib: (lib.ones(2), lib.ones(3)),
    "dtypes": lambda lib: (lib.ones(2), lib.ones(2).double()),
    "masks": lambda lib: (lib.tensor([True]), lib.tensor([False])),
    "none": lambda lib: (None, 1),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_not_close(lib: Any, name: str) -> None:
    """The error says what is wrong; PyTorch's says the same."""
    actual, expected = PAIRS[name](lib)
    with pytest.raises(AssertionError) as raised:
        lib.testing.assert_close(actual, expected)
    torch = pytest.importorskip("torch")
    with pytest.raises(AssertionError) as theirs:
        torch.testing.assert_close(*PAIRS[name](torch))
    assert str(raised.value).replace(lib.__name__, "torch") == str(theirs.value)


def test_what_is_close(lib: Any) -> None:
    """Differences of rounding are allowed, by dtype; arrays, strides and NaN as was said."""
    close, x = lib.testing.assert_close, lib.tensor([1.0, -2.0])
    close(x, x + 1e-7)
    close(x.half(), x.half() * 1.0005)
    close(np.ones(2), np.ones(2))
    close([x, {"a": 1}], [x + 1e-7, {"a": 1}])
    close(lib.ones(2, 3), lib.ones(3, 2).T)
    close(lib.tensor(float("nan")), lib.tensor(float("nan")), equal_nan=True)
    close(x, x + 0.1, rtol=0, atol=0.2)
    close(x, x.double(), check_dtype=False)
    for wrong in ({"rtol": 1.0}, {"atol": 1.0}):
        with pytest.raises(ValueError, match="must be either specified or omitted"):
            close(x, x, **wrong)
    with pytest.raises(AssertionError, match="stride"):
        close(lib.ones(2, 3), lib.ones(3, 2).T, check_stride=True)
    with pytest.raises(TypeError, match="No comparison pair"):
        close("a", "b")
    with pytest.raises(AssertionError, match="^own: Tensor-likes"):
        close(x, x + 1, msg=lambda text: f"own: {text}")


@pytest.mark.parametrize("name", ["float32", "float16", "complex64", "int32", "uint8", "bool"])
def test_random_tensors(lib: Any, name: str) -> None:
    """Elements lie between the bounds, in the dtype and layout that was asked for."""
    kind = getattr(lib, name)
    made = lib.testing.make_tensor((4, 5), dtype=kind, device="cpu", low=0 if name == "bool" else 1, high=2)
    assert made.dtype is kind and made.shape == (4, 5)
    values = made.real if name == "complex64" else made
    assert (values >= 0).all() and (values <= 2).all()
    separate = lib.testing.make_tensor(4, 5, dtype=kind, device="cpu", noncontiguous=True)
    assert not separate.is_contiguous() and separate.shape == (4, 5)
    assert (lib.testing.make_tensor(50, dtype=kind, device="cpu", exclude_zero=True) != 0).all()


def test_wrong_bounds(lib: Any) -> None:
    """There have to be numbers between the bounds."""
    with pytest.raises(ValueError, match="low"):
        lib.testing.make_tensor(2, dtype=lib.float32, device="cpu", low=2, high=1)
