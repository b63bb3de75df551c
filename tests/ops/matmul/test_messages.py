"""What is said of shapes that cannot be multiplied: PyTorch's words, which programs look for, and more."""

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("input", "weight", "message"), [((1, 3), (3, 2), "1x3 and 2x3"), ((2, 4, 3), (5, 2), "8x3 and 2x5")]
)
def test_linear(lib: Any, input: tuple[int, ...], weight: tuple[int, int], message: str) -> None:
    """A layer that is given other features than it has names both matrices."""
    with pytest.raises(RuntimeError, match=rf"mat1 and mat2 shapes cannot be multiplied \({message}\)"):
        lib.nn.functional.linear(lib.ones(input), lib.ones(weight))


def test_arrays_of_recorded_tensors(lib: Any) -> None:
    """An array of a tensor that requires grad is refused in PyTorch's words."""
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        lib.ones(2, requires_grad=True).numpy()
