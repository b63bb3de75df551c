"""`TypedStorage` and the classes named after dtypes."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

pytestmark = [
    pytest.mark.filterwarnings("ignore:TypedStorage is deprecated"),
    pytest.mark.cpu("names and places are the host's"),
]

NAMES = {
    "DoubleStorage": "float64",
    "FloatStorage": "float32",
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "LongStorage": "int64",
    "IntStorage": "int32",
    "ShortStorage": "int16",
    "CharStorage": "int8",
    "ByteStorage": "uint8",
    "BoolStorage": "bool",
    "ComplexDoubleStorage": "complex128",
    "ComplexFloatStorage": "complex64",
}


@pytest.mark.parametrize("name", NAMES)
def test_classes(lib: Any, name: str) -> None:
    """A class makes storages of its dtype, from sizes and numbers, and isinstance asks for the dtype."""
    cls, dtype = getattr(lib, name), getattr(lib, NAMES[name])
    storage = cls([1, 0, 1])
    assert cls.dtype is dtype is storage.dtype and storage.tolist() == [1, 0, 1]
    assert isinstance(storage, cls) and isinstance(storage, lib.TypedStorage) and not isinstance(storage.untyped(), cls)
    assert [other for other in NAMES if isinstance(storage, getattr(lib, other))] == [name]
    assert storage.type() == f"{lib.__name__}.{name}" and storage.pickle_storage_type() == name
    assert len(cls()) == 0 and cls(5).size() == 5 and cls(5).nbytes() == 5 * storage.element_size()
    assert lib.ones(2, dtype=dtype).storage().type() == storage.type()


def test_elements_of_a_tensor(lib: Any) -> None:
    """A tensor's storage has all numbers of the memory, and what is written is seen on both sides."""
    x = lib.arange(6.0).view(2, 3)
    storage = x[1].storage()
    assert storage.tolist() == [0, 1, 2, 3, 4, 5] == list(storage) and storage[4] == 4 == storage[-2]
    storage[1] = 7
    storage[2:4] = 9
    assert x.tolist() == [[0, 7, 9], [9, 4, 5]] and x._version == 0
    storage.fill_(1)
    assert x.sum() == 6 and storage.data_ptr() == x.data_ptr() and storage.dtype is lib.float32
    assert storage.device == x.device and not storage.is_cuda and storage.untyped() is x.untyped_storage()
    assert x.t().storage_offset() == 0 and x[1, 1:].storage_offset() == 4
    with pytest.raises(RuntimeError, match="slices are only supported in UntypedStorage"):
        storage[1:3]
    with pytest.raises(IndexError, match="index 6 out of range for storage of size 6"):
        storage[6]


def test_warning_is_given_once() -> None:
    """The first typed storage of a program warns."""
    import specgrad as sg
    from specgrad.runtime import errors

    errors._error_message.clear()
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        sg.ones(1).storage()
    sg.ones(1).storage()


def test_constructors(lib: Any) -> None:
    """`TypedStorage` takes a size, numbers or an untyped storage, which it wraps."""
    assert lib.TypedStorage([1, 2]).dtype is lib.float32 and lib.TypedStorage(3, dtype=lib.int16).nbytes() == 6
    bytes_ = lib.UntypedStorage([1, 0, 0, 0, 2, 0, 0, 0])
    wrapped = lib.TypedStorage(wrap_storage=bytes_, dtype=lib.int32)
    assert wrapped.tolist() == [1, 2] and wrapped.untyped() is bytes_
    assert lib.IntStorage(wrap_storage=bytes_).tolist() == [1, 2]
    with pytest.raises(RuntimeError):
        lib.TypedStorage(wrap_storage=bytes_)
    with pytest.raises(TypeError):
        lib.TypedStorage("a")
    with pytest.raises(RuntimeError, match="Only child classes of _LegacyStorage can be instantiated"):
        lib.storage._LegacyStorage()


def test_conversions(lib: Any) -> None:
    """Elements in other dtypes are those of NumPy's casts."""
    storage = lib.FloatStorage([1.5, -2.25])
    for name, kind in (
        ("double", "f8"),
        ("half", "f2"),
        ("long", "i8"),
        ("int", "i4"),
        ("short", "i2"),
        ("char", "i1"),
    ):
        assert getattr(storage, name)().tolist() == np.array([1.5, -2.25], "f4").astype(kind).tolist()
    assert storage.bool().tolist() == [True, True] and storage.complex_float().tolist() == [1.5, -2.25]
    assert storage.bfloat16().tolist() == storage.float().tolist() == storage.cpu().tolist() == [1.5, -2.25]
    storage.copy_(lib.FloatStorage([3, 4]))
    assert storage.tolist() == [3, 4]


def test_copies(lib: Any) -> None:
    """Copies have memory of their own."""
    storage = lib.LongStorage([1, 2])
    for other in (storage.clone(), copy.copy(storage), copy.deepcopy(storage), pickle.loads(pickle.dumps(storage))):
        assert other.tolist() == [1, 2] and other.dtype is lib.int64
        other.fill_(0)
    assert storage.tolist() == [1, 2]


def test_printing(lib: Any) -> None:
    """Each number in a line, then dtype, place and size."""
    name = lib.__name__
    text = f" 1.0\n 2.5\n[{name}.storage.TypedStorage(dtype={name}.float32, device=cpu) of size 2]"
    assert repr(lib.FloatStorage([1, 2.5])) == text


def test_tensors_of_storages(lib: Any) -> None:
    """Constructors of older programs, and `new`, make tensors over storages of their dtype and over untyped ones."""
    storage = lib.FloatStorage([1, 2])
    for made in (lib.Tensor(storage), lib.FloatTensor(storage), lib.ones(1).new(storage), lib.Tensor(storage=storage)):
        assert made.tolist() == [1, 2] and made.data_ptr() == storage.data_ptr()
    assert lib.LongTensor(storage.untyped()).tolist() == np.array([1, 2], "f4").view("i8").tolist()
    with pytest.raises(RuntimeError, match="Expected a Storage of type"):
        lib.LongTensor(storage)


def test_a_batch_in_shared_memory(lib: Any) -> None:
    """The recipe of collate functions: memory that processes share, as a tensor of the batch's size."""
    item = lib.ones(3)
    out = item.new(item._typed_storage()._new_shared(6)).resize_(2, 3)
    lib.stack([item, item * 2], 0, out=out)
    assert out.is_shared() and out.tolist() == [[1, 1, 1], [2, 2, 2]]
    assert item.untyped_storage()._new_shared(5).nbytes() == 5
