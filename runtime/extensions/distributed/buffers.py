"""Where a tensor's numbers are for a transport: its own memory where that lies in one piece, else a copy of it.

A transport reads and writes memory at its address until a request is done: the steps of a call hold the arrays made
here, and so the memory, even where the program lets go of the tensor or gives it other memory meanwhile.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...device.device import CPU
from ...tensor.grad_mode import no_grad
from ...tensor.memory import contiguous, on_host
from ...tensor.tensor import TensorBase, from_flat


def tensor(name: str, value: Any, parameter: str = "tensor") -> Any:
    """A tensor that can be sent: strided, with memory."""
    if not isinstance(value, TensorBase):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{parameter}` of type Tensor\n"
            f"             but got {type(value)} instead."
        )
    arg: Any = value
    if value.is_meta or getattr(value, "is_sparse", False) or getattr(value, "is_sparse_csr", False):
        raise ValueError(
            f"{name}(): expected a strided tensor with memory, but '{parameter}' is {arg.layout} on {value.device}"
        )
    return value


def tensors(name: str, values: Any, parameter: str) -> list[Any]:
    if not isinstance(values, list | tuple) or not all(isinstance(value, TensorBase) for value in values):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{parameter}` of type List[Tensor]\n"
            f"             but got {type(values)} instead."
        )
    return [tensor(name, value, parameter) for value in values]


def same_dtype(*values: Any) -> None:
    for value in values[1:]:
        if value._dtype is not values[0]._dtype:
            dtypes = f"{values[0]._dtype} and {value._dtype}"
            raise ValueError(f"Invalid usage of tensors with different dtypes: Found {dtypes}")


def same_shape(name: str, expected: Sequence[int], values: Sequence[Any], parameter: str) -> None:
    for number, value in enumerate(values):
        if value._shape != tuple(expected):
            sizes = f"expected {tuple(expected)}, got {value._shape}"
            raise RuntimeError(f"{name}(): invalid tensor size at index {number} of {parameter} ({sizes})")


def numbers(value: Any) -> np.ndarray:
    """In row order, on the host: not to be written to."""
    flat = value._flat
    if flat is None or value._device is not CPU:
        flat = on_host(contiguous(value.array)).reshape(-1)
    return flat if value._dtype.native or flat.dtype == value._dtype.np else flat.view(value._dtype.np)


def target(name: str, value: Any) -> tuple[np.ndarray, Callable[[], None]]:
    """Where numbers are written that a tensor is to have, and what is called when they are there."""
    if value._flat is not None and value._device is CPU:
        return numbers(value), lambda: value._bump_version(name)
    staged = np.array(numbers(value), copy=True)
    return staged, lambda: write(value, staged)


def write(value: Any, flat: np.ndarray) -> None:
    with no_grad():
        value.detach().copy_(from_flat(flat, value._shape, value._dtype))


def concatenated(values: Sequence[Any]) -> np.ndarray:
    return np.concatenate([numbers(value) for value in values])


def parts(values: Sequence[Any]) -> tuple[np.ndarray, Callable[[], None]]:
    """As `target`, of several tensors."""
    kind = values[0]._dtype.np
    every = np.empty(sum(value.numel() for value in values), kind)

    def hand_out() -> None:
        start = 0
        for value in values:
            write(value, every[start : start + value.numel()])
            start += value.numel()

    return every, hand_out
