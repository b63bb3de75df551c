"""Memory of files, and memory that is copied from Python objects."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import specgrad as sg

pytestmark = [
    pytest.mark.filterwarnings("ignore:TypedStorage is deprecated"),
    pytest.mark.cpu("the memory of files is the host's"),
]


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A file with four numbers of float32."""
    path = tmp_path / "numbers"
    np.arange(4, dtype=np.float32).tofile(path)
    return str(path)


def test_a_file_as_a_tensor(lib: Any, file: str) -> None:
    """The first elements of the file, in a dtype."""
    assert lib.from_file(file, size=4).tolist() == [0, 1, 2, 3]
    assert lib.from_file(file, False, 2, dtype=lib.int32).tolist() == [0, 0x3F800000]
    assert lib.from_file(file, size=3, requires_grad=True).requires_grad
    assert lib.from_file(file).shape == (0,)


def test_shared_memory_is_the_file(lib: Any, file: str) -> None:
    """What is written goes to the file where it is shared, and stays here where it is not."""
    lib.from_file(file, shared=False, size=2).fill_(7)
    assert np.fromfile(file, np.float32).tolist() == [0, 1, 2, 3]
    lib.from_file(file, shared=True, size=2).fill_(7)
    assert np.fromfile(file, np.float32).tolist() == [7, 7, 2, 3]


def test_a_shared_file_is_shared_memory(file: str) -> None:
    """It stays the file when it is asked to be shared, and when it goes to other processes."""
    x = sg.from_file(file, shared=True, size=4)
    assert x.is_shared() and not sg.from_file(file, size=4).is_shared()
    x.share_memory_().fill_(6)
    assert np.fromfile(file, np.float32).tolist() == [6, 6, 6, 6]
    assert sg.from_file(file, shared=True, size=2).tolist() == [6, 6]


def test_a_file_is_made_where_it_is_shared(lib: Any, tmp_path: Path) -> None:
    """A new file has zeros; one that is too short is made longer."""
    path = tmp_path / "new"
    assert lib.from_file(str(path), shared=True, size=3).tolist() == [0, 0, 0] and path.stat().st_size == 12
    assert lib.from_file(str(path), shared=True, size=5).shape == (5,) and path.stat().st_size == 20


def test_files_that_cannot_be_mapped(lib: Any, file: str) -> None:
    """There is none, or it is too short."""
    with pytest.raises(RuntimeError, match="unable to open file"):
        lib.from_file(file + "x", size=1)
    with pytest.raises(RuntimeError, match="file"):
        lib.from_file(file, size=5)
    with pytest.raises((RuntimeError, AssertionError)):
        lib.from_file(file, size=1, device="cuda")


def test_storages_of_files(lib: Any, file: str) -> None:
    """Storages of a dtype count in elements, untyped ones in bytes."""
    assert lib.FloatStorage.from_file(file, False, 4).tolist() == [0, 1, 2, 3]
    storage = lib.UntypedStorage.from_file(file, True, 8)
    assert storage.nbytes() == 8 and storage.float().size() == 8
    storage.fill_(0)
    assert np.fromfile(file, np.float32).tolist() == [0, 0, 2, 3]


ORDERS = [("native", "="), ("little", "<"), ("big", ">")]


@pytest.mark.parametrize(("order", "mark"), ORDERS)
@pytest.mark.parametrize(
    ("name", "kind"), [("ShortStorage", "i2"), ("FloatStorage", "f4"), ("ComplexFloatStorage", "c8")]
)
def test_numbers_of_a_buffer(lib: Any, order: str, mark: str, name: str, kind: str) -> None:
    """The numbers that NumPy reads in that order of bytes, in memory of their own."""
    data = bytearray(range(1, 33))
    expected = np.frombuffer(data, mark + kind)
    storage = getattr(lib, name).from_buffer(data, order)
    assert storage.tolist() == expected.tolist()
    data[:] = bytes(32)
    assert storage.tolist() != np.frombuffer(data, mark + kind).tolist()
    some = getattr(lib, name).from_buffer(bytes(range(1, 33)), byte_order=order, count=2, offset=8)
    assert some.tolist() == np.frombuffer(bytes(range(1, 33)), mark + kind, 2, 8).tolist()


def test_buffers_that_do_not_fit(lib: Any) -> None:
    """Parts of numbers, too few of them, no order of bytes where it matters, no buffer."""
    with pytest.raises(ValueError, match="must be a multiple of element size"):
        lib.FloatStorage.from_buffer(b"abcde", "native")
    with pytest.raises(ValueError, match="but specified a size of 3"):
        lib.FloatStorage.from_buffer(b"abcdefgh", "native", 3)
    with pytest.raises(ValueError, match="offset must be non-negative"):
        lib.FloatStorage.from_buffer(b"abcdefgh", "native", 1, 9)
    with pytest.raises(RuntimeError, match="byte_order"):
        lib.FloatStorage.from_buffer(b"abcdefgh")
    with pytest.raises(ValueError, match="byte_order"):
        lib.FloatStorage.from_buffer(b"abcdefgh", "middle")
    with pytest.raises(TypeError):
        lib.FloatStorage.from_buffer(3, "native")


def test_bytes_of_a_buffer(lib: Any) -> None:
    """Bytes need no order, nor does the buffer's length matter."""
    assert lib.ByteStorage.from_buffer(b"abc").tolist() == [97, 98, 99]
    assert lib.UntypedStorage.from_buffer(b"abcd", sys.byteorder, dtype=lib.int16).tolist() == [97, 98, 99, 100]


def test_memory_of_an_object(lib: Any) -> None:
    """`frombuffer` shares what may be written to."""
    data = bytearray([1, 0, 2, 0])
    x = lib.frombuffer(data, dtype=lib.int16)
    x[0] = 5
    assert data[0] == 5 and x.tolist() == [5, 2] and x.untyped_storage().nbytes() == 4
