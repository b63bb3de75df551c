"""The classes of storages that are named after a dtype: `FloatStorage`."""

from typing import Any

from ...device.device import CPU
from ...dispatch import argument_checks
from ...tensor.dtypes import dtype as Dtype
from .contents import OF_NAMES
from .file_memory import from_buffer, mapped
from .typed import TypedStorage, wrapped
from .untyped import UntypedStorage, of_array


class LegacyMeta(type):
    """Makes storages of a dtype and a device, and tells them apart by isinstance."""

    dtype: Dtype
    is_cuda: bool

    def __call__(cls, *args: Any, wrap_storage: Any = None) -> TypedStorage:
        if not hasattr(cls, "dtype"):
            raise RuntimeError("Only child classes of _LegacyStorage can be instantiated")
        if wrap_storage is not None:
            return TypedStorage(*args, wrap_storage=wrap_storage, dtype=cls.dtype)
        return TypedStorage(*args, dtype=cls.dtype, device="cuda" if cls.is_cuda else CPU)

    def __instancecheck__(cls, instance: Any) -> bool:
        if not isinstance(instance, TypedStorage):
            return False
        return not hasattr(cls, "dtype") or (instance.dtype is cls.dtype and instance.is_cuda is cls.is_cuda)


class LegacyStorage(metaclass=LegacyMeta):
    """A typed storage of one dtype: a size or a sequence makes one, and isinstance asks for the dtype."""

    @classmethod
    def from_buffer(cls, *args: Any, **kwargs: Any) -> TypedStorage:
        """A copy of the memory of a Python object, read as numbers of this dtype.

        Args:
            *args: the object, then as by name.
            **kwargs: `byte_order` of the numbers in the buffer, "native", "little" or "big"; the `count` of elements,
                all when -1; the `offset` in bytes of the first.

        Raises:
            ValueError: the buffer is too short, or of another size than a whole number of elements.
        """
        return wrapped(of_array(from_buffer(*args, **kwargs, dtype=cls.dtype)), cls.dtype)

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, size: int = 0) -> TypedStorage:
        """The memory of a file as numbers of this dtype; see `UntypedStorage.from_file`.

        Args:
            filename, shared: as there.
            size: the number of elements.
        """
        count = argument_checks.integer("from_file", "size", size) * cls.dtype.itemsize
        return wrapped(of_array(mapped(filename, shared, count), filename if shared else None), cls.dtype)

    @classmethod
    def _new_shared(cls, size: int) -> TypedStorage:
        return wrapped(UntypedStorage._new_shared(size * cls.dtype.itemsize), cls.dtype)


def _named(name: str, kind: Dtype, is_cuda: bool) -> LegacyMeta:
    module = "specgrad.cuda" if is_cuda else "specgrad"
    namespace = {"dtype": kind, "is_cuda": is_cuda, "__module__": module, "__doc__": f"Typed storages of {kind.name}."}
    return LegacyMeta(name, (LegacyStorage,), namespace)


STORAGES = {name: _named(name, kind, False) for name, kind in OF_NAMES.items()}
CUDA_STORAGES = {name: _named(name, kind, True) for name, kind in OF_NAMES.items()}
