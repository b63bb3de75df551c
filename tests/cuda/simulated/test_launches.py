"""Launches on a simulated device: words become arguments, and what a kernel wrote is known afterwards."""

from typing import Any

import numpy as np
import pytest

from specgrad.runtime.cuda.simulated import cuda
from specgrad.runtime.cuda.simulated.driver import SimulatedDriver
from specgrad.runtime.errors import AcceleratorError

SIZE = 100


class Array:
    """An array in a signature."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)


class Kernel:
    """A kernel that is the same for all signatures."""

    def __init__(self, function: Any) -> None:
        self.name, self.function = function.__name__, function

    def simulated(self, signature: Any) -> Any:
        return self.function


def scale(x: Any, factor: Any, result: Any) -> None:
    i = cuda.grid(1)
    if i < result.size:
        result[i] = x[i] * factor


def array_words(address: int, size: int, itemsize: int) -> list[int]:
    return [0, 0, size, itemsize, address, size, itemsize]


def number_words(value: Any) -> list[int]:
    raw = np.atleast_1d(value).view(np.uint8).tobytes()
    parts = [raw] if value.dtype.kind != "c" else [raw[: len(raw) // 2], raw[len(raw) // 2 :]]
    return [int.from_bytes(part, "little") for part in parts]


class Program:
    """A driver with memory for arrays, and launches of `scale` over them."""

    def __init__(self) -> None:
        self.driver = SimulatedDriver(1, 1 << 24)

    def array(self, values: np.ndarray) -> int:
        address = self.driver.allocate(0, values.nbytes, 0)
        self.driver.copy(address, values.ctypes.data, values.nbytes, "h2d", 0)
        return address

    def read(self, address: int, like: np.ndarray) -> np.ndarray:
        result = np.empty_like(like)
        self.driver.copy(result.ctypes.data, address, result.nbytes, "d2h", 0)
        return result

    def scale(self, x: int, factor: Any, result: int, dtype: Any, stream: int = 0, size: int = SIZE) -> None:
        kind = np.dtype(dtype)
        function = self.driver.load(Kernel(scale), (Array(kind), kind, Array(kind)), 0)
        words = [*array_words(x, size, kind.itemsize), *number_words(kind.type(factor))]
        words += array_words(result, size, kind.itemsize)
        self.driver.launch(function, (4, 1, 1), (32, 1, 1), words, 0, stream)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int8", "complex64", "complex128"])
def test_arguments(dtype: str) -> None:
    """Arrays and numbers of all dtypes arrive as they are, a negative or complex number too."""
    p = Program()
    values = np.arange(SIZE).astype(dtype)
    factor = -1 + 2j if np.dtype(dtype).kind == "c" else -1
    x, result = p.array(values), p.driver.allocate(0, values.nbytes, 0)
    p.scale(x, factor, result, dtype)
    np.testing.assert_array_equal(p.read(result, values), values * values.dtype.type(factor))


def test_a_launch_runs_when_its_stream_gets_there() -> None:
    """It sees what the stream did before, also where the memory has been freed since it was given."""
    p = Program()
    values = np.ones(SIZE, np.float32)
    x, result = p.array(values), p.driver.allocate(0, values.nbytes, 0)
    p.scale(x, 3, result, "float32")
    p.driver.free(0, x, 0)
    np.testing.assert_array_equal(p.read(result, values), 3 * values)


def test_launches_race_by_what_they_write() -> None:
    """Two launches on two streams may read one array; they may not write to one, or write to what the other reads."""
    p = Program()
    values = np.ones(SIZE, np.float32)
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
    x, y = (p.driver.allocate(0, 4 * SIZE, 0) for _ in range(2))
    p.scale(x, 3, y, "float32")
    with pytest.raises(RuntimeError, match=r"reads x\[0\], which nobody wrote") as caught:
        p.driver.synchronize(0)
    assert "launch of scale" in caught.value.__notes__[0] and __file__ in caught.value.__notes__[0]
    p.driver.fill(x, 0, 4 * SIZE, 0)
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
        (array_words(x, 5, 4)[:-1], "6 words are too few"),
        ([*array_words(x, 5, 4), 1], "1 of 8 words are too many"),
        (array_words(x + 2, 5, 4), "misaligned address"),
        (array_words(x, 257, 4), "argument 0 of scale: 1028 bytes at .* end 4 bytes behind"),
    ]
    for words, said in wrong:
        with pytest.raises(AcceleratorError, match=said):
            p.driver.launch(function, (1, 1, 1), (1, 1, 1), words, 0, 0)


@pytest.mark.parametrize(
    ("grid", "block", "shared", "said"),
    [
        ((0, 1, 1), (1, 1, 1), 0, "blocks"),
        ((1, 65536, 1), (1, 1, 1), 0, "blocks"),
        ((1, 1, 1), (2048, 1, 1), 0, "threads of a block"),
        ((1, 1, 1), (64, 32, 1), 0, "at most 1024 in all"),
        ((1, 1, 1), (1, 1, 65), 0, "threads of a block"),
        ((1, 1, 1), (1, 1, 1), 300000, "shared memory: expected at most 232448"),
    ],
)
def test_limits(grid: Any, block: Any, shared: int, said: str) -> None:
    """A launch that no device takes is refused."""
    p = Program()
    function = p.driver.load(Kernel(scale), (), 0)
    with pytest.raises(AcceleratorError, match=f"invalid configuration argument: .*{said}"):
        p.driver.launch(function, grid, block, [], shared, 0)
