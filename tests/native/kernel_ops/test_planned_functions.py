"""Functions that are no ops and run natively from the second call of a layout on: `equal` and `one_hot`."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.ops.numeric.fast_calls import BLOCK

one_hot = sg.nn.functional.one_hot


@pytest.mark.parametrize(
    "dtype", [sg.float32, sg.float64, sg.float16, sg.bfloat16, sg.int64, sg.int32, sg.bool], ids=str
)
@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (2, BLOCK), (0, 2)], ids=str)
def test_equal(shape: tuple[int, ...], dtype: Any) -> None:
    """One element that differs is found wherever it is."""
    x = sg.tensor(np.random.default_rng(0).integers(0, 2, shape)).to(dtype)
    for _ in range(3):
        assert sg.equal(x, x.clone()) is True
        for index in (0, -1) if x.numel() else ():
            y = x.clone()
            y.view(-1)[index] = 1 - y.view(-1)[index].to(sg.int64)
            assert sg.equal(x, y) is False
        if shape:
            assert not sg.equal(x, x[:1]) or shape[0] == 0
            assert sg.equal(x.transpose(0, -1), x.transpose(0, -1).clone())


def test_equal_of_nan_and_zeros() -> None:
    """nan equals nothing, and both zeros each other; a tensor that requires grad gives a bool like any other."""
    for _ in range(3):
        assert not sg.equal(sg.tensor([1.0, float("nan")]), sg.tensor([1.0, float("nan")]))
        assert sg.equal(sg.tensor([0.0, -0.0], requires_grad=True), sg.tensor([-0.0, 0.0]))


def test_one_hot() -> None:
    """Ones at the classes, which are counted where their number is not said, and must be below it where it is."""
    classes = np.random.default_rng(0).integers(0, 7, (4, 5))
    x = sg.tensor(classes)
    for _ in range(3):
        np.testing.assert_array_equal(one_hot(x, 9).numpy(), np.eye(9)[classes])
        np.testing.assert_array_equal(one_hot(x).numpy(), np.eye(classes.max() + 1)[classes])
        np.testing.assert_array_equal(one_hot(x.t(), 7).numpy(), np.eye(7)[classes.T])
        assert one_hot(x, 9).dtype is sg.int64
        with pytest.raises(RuntimeError, match="smaller than num_classes=2"):
            one_hot(x, 2)
        with pytest.raises(RuntimeError, match="non-negative"):
            one_hot(x - 7, 9)
        with pytest.raises(RuntimeError, match="int64"):
            one_hot(x.float(), 9)
        batch = sg.vmap(lambda row: one_hot(row, 9))(x)
        np.testing.assert_array_equal(batch.numpy(), np.eye(9)[classes])
