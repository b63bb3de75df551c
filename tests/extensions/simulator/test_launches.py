"""Launches on a simulated device: words become arguments, and what a kernel wrote is known afterwards."""

from typing import Any

import numpy as np
import pytest

from specgrad.runtime.errors import AcceleratorError
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from tests.device.cuda.programs import ELEMENTS, Array, Kernel, Launches, array_slots, scale


class Program(Launches):
    """Launches on a simulated device."""

    def __init__(self) -> None:
        super().__init__(SimulatedDriver(1, 1 << 24))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int8", "complex64", "complex128"])
def test_arguments(dtype: str) -> None:
    """Arrays and numbers of all dtypes arrive as they are, a negative or complex number too."""
    p = Program()
    values = np.arange(ELEMENTS).astype(dtype)
    factor = -1 + 2j if np.dtype(dtype).kind == "c" else -1
    x, result = p.array(values), p.driver.allocate(0, values.nbytes, 0)
    p.scale(x, factor, result, dtype)
    np.testing.assert_array_equal(p.read(result, values), values * values.dtype.type(factor))


def test_a_launch_runs_when_its_stream_gets_there() -> None:
    """It sees what the stream did before, also where the memory has been freed since it was given."""
    p = Program()
    values = np.ones(ELEMENTS, np.float32)
    x, result = p.array(values), p.driver.allocate(0, values.nbytes, 0)
    p.scale(x, 3, result, "float32")
    p.driver.free(0, x, 0)
    np.testing.assert_array_equal(p.read(result, values), 3 * values)


def test_launches_race_by_what_they_write() -> None:
    """Two launches on two streams may read one array; they may not write to one, or write to what the other reads."""
    p = Program()
    values = np.ones(ELEMENTS, np.float32)
    x, y, z = p.array(values), p.array(2 * values), p.array(3 * values)
    one, other = p.driver.create_stream(0), p.driver.create_stream(0)
    p.driver.synchronize(0)
    p.scale(x, 3, y, "float32", one)
    p.scale(x, 5, z, "float32", other)
    p.driver.synchronize(0)
    p.scale(x, 3, y, "float32", one)
    p.scale(y, 5, z, "float32", other)
    p.scale(y, 7, z, "float32", other)
    with pytest.raises(AcceleratorError, match="CUDA race: nothing orders launch of scale"):
        p.driver.synchronize(0)


def test_what_was_written_is_known() -> None:
    """A kernel that reads what nobody wrote is refused, with the line that launched it; what it writes may be read."""
    p = Program()
    x, y = (p.driver.allocate(0, 4 * ELEMENTS, 0) for _ in range(2))
    p.scale(x, 3, y, "float32")
    with pytest.raises(RuntimeError, match=r"reads x\[0\], which nobody wrote") as caught:
        p.driver.synchronize(0)
    assert "launch of scale" in caught.value.__notes__[0] and "programs.py" in caught.value.__notes__[0]
    p.driver.fill(x, 0, 4 * ELEMENTS, 0)
    p.scale(x, 3, y, "float32")
    p.scale(y, 3, x, "float32")
    p.driver.synchronize(0)


def test_words_that_cannot_be() -> None:
    """Words that contradict each other, or are too few or too many, are refused when they are given."""
    p = Program()
    x = p.driver.allocate(0, 1024, 0)
    function = p.driver.load(Kernel(scale), (Array("float32"),), 0)
    wrong = [
        ([0, 0, 5, 4, x, 6, 4], "contradict each other"),
        ([0, 0, 5, 8, x, 5, 8], "contradict each other"),
        (array_slots(x, 5, 4)[:-1], "6 words are too few"),
        ([*array_slots(x, 5, 4), 1], "1 of 8 words are too many"),
        (array_slots(x + 2, 5, 4), "misaligned address"),
        (array_slots(x, 257, 4), "argument 0 of scale: 1028 bytes at .* end 4 bytes behind"),
    ]
    for slot_values, message in wrong:
        with pytest.raises(AcceleratorError, match=message):
            p.driver.launch(function, (1, 1, 1), (1, 1, 1), slot_values, 0, 0)


@pytest.mark.parametrize(
    ("grid", "block", "shared", "message"),
    [
        ((0, 1, 1), (1, 1, 1), 0, "blocks"),
        ((1, 65536, 1), (1, 1, 1), 0, "blocks"),
        ((1, 1, 1), (2048, 1, 1), 0, "threads of a block"),
        ((1, 1, 1), (64, 32, 1), 0, "at most 1024 in all"),
        ((1, 1, 1), (1, 1, 65), 0, "threads of a block"),
        ((1, 1, 1), (1, 1, 1), 300000, "shared memory: expected at most 232448"),
    ],
)
def test_limits(grid: Any, block: Any, shared: int, message: str) -> None:
    """A launch that no device takes is refused."""
    p = Program()
    function = p.driver.load(Kernel(scale), (), 0)
    with pytest.raises(AcceleratorError, match=f"invalid configuration argument: .*{message}"):
        p.driver.launch(function, grid, block, [], shared, 0)
