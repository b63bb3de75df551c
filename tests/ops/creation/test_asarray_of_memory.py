"""`asarray` of objects that offer their memory, plainly or by DLPack, shares it."""

import array
from typing import Any

import numpy as np
import pytest

import specgrad as sg


class Exporter:
    """An object of another library, which knows no versions of DLPack."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __dlpack__(self, **_: Any) -> Any:
        return self.held.__dlpack__()

    def __dlpack_device__(self) -> Any:
        return self.held.__dlpack_device__()


def test_plain_memory_is_shared() -> None:
    """Its bytes are read as the dtype, by default that of Python floats, as on PyTorch."""
    memory = array.array("i", [1, 2])
    shared = sg.asarray(memory, dtype=sg.int32)
    shared[0] = 7
    assert list(memory) == [7, 2] and shared.tolist() == [7, 2]
    assert sg.asarray(bytearray(np.float32([1.5]).tobytes())).tolist() == [1.5]
    assert sg.asarray(memoryview(bytearray(b"abcd")), dtype=sg.int16).tolist() == [25185, 25699]
    assert sg.asarray(memory, dtype=sg.int32, copy=True).data_ptr() != shared.data_ptr()


def test_memory_that_does_not_fit() -> None:
    """No whole number of elements, and none at all."""
    with pytest.raises(ValueError, match="must be a multiple of element size"):
        sg.asarray(bytearray(b"abc"), dtype=sg.int16)
    with pytest.raises(ValueError, match="must not be 0"):
        sg.asarray(bytearray(), dtype=sg.uint8)


@pytest.mark.parametrize("dtype", [sg.float32, sg.int64, sg.bfloat16, sg.bool])
def test_dlpack_is_shared(dtype: Any) -> None:
    """Also where the object does not say whether its memory may be written to."""
    held = sg.zeros(2, dtype=dtype)
    for make in (sg.asarray, sg.from_dlpack):
        made = make(Exporter(held))
        made[1] = 1
        assert held.tolist() == made.tolist() and held[1] == 1
        held.zero_()


def test_sequences_and_scalars_are_copied() -> None:
    """They have no memory of elements."""
    assert sg.asarray([1, 2.0]).tolist() == [1.0, 2.0] and sg.asarray(np.float32(2)).shape == ()
