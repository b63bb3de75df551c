"""`UntypedStorage`: the bytes that tensors share."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.cpu("a device has a test of its own")


def bytes_of(values: Any, kind: str) -> list[int]:
    return list(np.array(values, kind).tobytes())


@pytest.mark.parametrize(("name", "kind"), [("float32", "f4"), ("int64", "i8"), ("float16", "f2"), ("bool", "?")])
def test_bytes_are_those_of_the_elements(lib: Any, name: str, kind: str) -> None:
    """A storage has all bytes of the memory, also of a view that reads a part."""
    x = lib.tensor([1, 0, 3], dtype=getattr(lib, name))
    storage = x[1:].untyped_storage()
    assert storage.tolist() == bytes_of([1, 0, 3], kind) == list(storage)
    assert storage.nbytes() == storage.size() == len(storage) == 3 * x.itemsize and storage.element_size() == 1
    assert storage.data_ptr() == x.data_ptr() and x[1:].data_ptr() == x.data_ptr() + x.itemsize
    assert storage.device == x.device and not storage.is_cuda and storage.get_device() in (-1, None)


def test_one_object_for_all_tensors_of_a_memory(lib: Any) -> None:
    """Views, transposed, detached and differently typed tensors have the same storage; a copy has another."""
    x = lib.arange(6.0).view(2, 3)
    storage = x.untyped_storage()
    for other in (x[1], x.t(), x.detach(), x.data, x.view(lib.int32), x.requires_grad_().view(6)):
        assert other.untyped_storage() is storage
    assert x.clone().untyped_storage() is not storage
    assert x._typed_storage()._cdata == storage._cdata != x.clone().untyped_storage()._cdata
    assert lib.ones(0).untyped_storage().data_ptr() == 0 == lib.ones(0).untyped_storage().nbytes()


def test_writes_are_seen_and_not_counted(lib: Any) -> None:
    """What is written through a storage is what its tensors read; versions stay, as through `data`."""
    x = lib.zeros(4, dtype=lib.uint8)
    storage = x.untyped_storage()
    storage[1] = 7
    storage[2:] = 9
    assert x.tolist() == [0, 7, 9, 9] and x._version == 0
    assert storage.fill_(3) is storage and x.tolist() == [3, 3, 3, 3]
    storage.copy_(lib.UntypedStorage([1, 2, 3, 4]))
    assert x.tolist() == [1, 2, 3, 4] and storage[-1] == 4 and x._version == 0
    with pytest.raises(RuntimeError, match="size does not match, self was 4 bytes but src was 2 bytes"):
        storage.copy_(lib.UntypedStorage([1, 2]))
    with pytest.raises(TypeError):
        storage.copy_([1, 2, 3, 4])
    with pytest.raises(IndexError, match="out of range for storage of size 4"):
        storage[4]


def test_a_slice_is_a_part_of_the_memory(lib: Any) -> None:
    """Bytes of a slice are those of the storage, in steps of one."""
    storage = lib.UntypedStorage([1, 2, 3, 4])
    part = storage[1:3]
    part[0] = 9
    assert storage.tolist() == [1, 9, 3, 4] and part.data_ptr() == storage.data_ptr() + 1
    assert storage[3:1].tolist() == []
    with pytest.raises(RuntimeError, match="only a step of 1"):
        storage[::2]


def test_constructors(lib: Any) -> None:
    """Nothing, a size, or bytes; negative ones wrap."""
    assert lib.UntypedStorage().nbytes() == 0 and lib.UntypedStorage(5).nbytes() == 5
    assert lib.UntypedStorage([1, 255]).tolist() == [1, 255] and lib.UntypedStorage([-1]).tolist() == [255]
    for wrong in ([1.5], 1.5, "a", -1):
        with pytest.raises(RuntimeError):
            lib.UntypedStorage(wrong)
    assert lib.UntypedStorage([1, 2]).new().nbytes() == 0
    assert lib.is_storage(lib.UntypedStorage()) and not lib.is_storage(lib.ones(1))


def test_copies(lib: Any) -> None:
    """`clone`, `copy` and `deepcopy` have memory of their own; `cpu` is the storage itself."""
    storage = lib.UntypedStorage([1, 2])
    for other in (storage.clone(), copy.copy(storage), copy.deepcopy(storage)):
        other.fill_(0)
    assert storage.tolist() == [1, 2] and storage.cpu() is storage and storage.to(device="cpu") is storage
    assert storage.float().tolist() == [1.0, 2.0] and storage.float().dtype == lib.float32
    assert storage.byte().tolist() == [1, 2] and storage.complex_double().tolist() == [1, 2]


def test_copies_of_tensors_and_storages_share(lib: Any) -> None:
    """`deepcopy` keeps what shares memory together, tensors and storages."""
    x = lib.arange(4.0)
    full, part, storage = copy.deepcopy([x, x[2:], x.untyped_storage()])
    full.fill_(5)
    assert part.tolist() == [5, 5] and storage.data_ptr() == full.data_ptr() and x.tolist() == [0, 1, 2, 3]


def test_pickling_keeps_sharing() -> None:
    """Tensors and storages that were pickled together share memory again; PyTorch's pickled alone do not."""
    import specgrad as sg

    x = sg.arange(4.0)
    full, part, storage, typed = pickle.loads(pickle.dumps([x, x[2:], x.untyped_storage(), x._typed_storage()]))
    full.fill_(5)
    assert part.tolist() == [5, 5] and storage is full.untyped_storage() and typed.tolist() == [5] * 4
    assert x.tolist() == [0, 1, 2, 3] and typed.untyped() is storage


def test_bytes_in_the_other_order(lib: Any) -> None:
    """`byteswap` turns each number of a dtype round, and each part of a complex one."""
    storage = lib.UntypedStorage([1, 2, 3, 4, 5, 6, 7, 8])
    storage.byteswap(lib.int16)
    assert storage.tolist() == [2, 1, 4, 3, 6, 5, 8, 7]
    storage.byteswap(lib.complex64)
    assert storage.tolist() == [3, 4, 1, 2, 7, 8, 5, 6]


def test_printing(lib: Any) -> None:
    """Each byte in a line, then the class, place and size."""
    text = repr(lib.UntypedStorage([1, 2]))
    assert text == f" 1\n 2\n[{lib.__name__}.storage.UntypedStorage(device=cpu) of size 2]"


def test_on_a_device() -> None:
    """A storage of a simulated device has the bytes there, and copies to and from the host."""
    import specgrad as sg
    from tests.places import simulated_device

    with simulated_device():
        x = sg.tensor([1.0, 2.0], device="cuda")
        storage = x.untyped_storage()
        assert storage.is_cuda and storage.tolist() == bytes_of([1, 2], "f4") and storage is x[1:].untyped_storage()
        assert storage.cpu().tolist() == storage.tolist() and storage.data_ptr() == x.data_ptr()
        storage.fill_(0)
        assert x.tolist() == [0, 0] and x.is_shared() and storage.share_memory_() is storage
        assert isinstance(x, sg.cuda.FloatTensor) and not isinstance(x, sg.FloatTensor)
        assert x.type() == "specgrad.cuda.FloatTensor" and x.type("torch.FloatTensor").device.type == "cpu"
        assert x.cpu().type("torch.cuda.DoubleTensor").device.type == "cuda"
        assert sg.cuda.LongTensor([1, 2]).device.type == "cuda" and sg.cuda.FloatStorage(3).is_cuda
        part = x[1:]
        x.resize_(4).fill_(3)
        assert part.tolist() == [3] and part.untyped_storage() is x.untyped_storage()
