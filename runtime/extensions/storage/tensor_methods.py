"""StorageMethods: the memory of a tensor as a storage, and PyTorch's older constructors and names of types.

What handles storages is loaded when it is first asked for.
"""

import sys
from typing import Any

from ...device.device import CPU
from ...methods.dtype_and_layout import converted
from ...tensor.dtypes import dtype as Dtype
from ...tensor.tensor import TensorBase
from . import legacy_constructors

_SHARED = "specgrad.runtime.extensions.storage.shared_memory"


class StorageMethods(TensorBase):
    """storage and its kin, `Tensor(...)`, new, type."""

    __slots__ = ()

    def storage(self) -> Any:
        """The memory as a `TypedStorage` of this dtype, deprecated as in PyTorch: see `untyped_storage`.

        Example:
            >>> import specgrad as sg
            >>> import warnings
            >>> with warnings.catch_warnings():
            ...     warnings.simplefilter("ignore")  # it is said once that typed storages are deprecated
            ...     sg.arange(4)[2:].storage().tolist()
            [0, 1, 2, 3]
        """
        from .typed import storage_of

        return storage_of(self)

    def _typed_storage(self) -> Any:
        from .typed import wrapped

        return wrapped(self.untyped_storage(), self._dtype)

    def untyped_storage(self) -> Any:
        """The memory as an `UntypedStorage`, the same object for all tensors that share it.

        Example:
            >>> import specgrad as sg
            >>> x = sg.zeros(2, 3)
            >>> x.untyped_storage().nbytes(), x[0].untyped_storage() is x.untyped_storage()
            (24, True)
        """
        from .typed import of_array  # with which the untyped ones find the typed ones

        return of_array(self._storage)

    def set_(self, source: Any = None, storage_offset: Any = 0, size: Any = None, stride: Any = None) -> Any:
        """The memory of a storage or of another tensor in place of the tensor's own, which others keep.

        Where the storage is too small for the size it grows, for all that share it.

        Args:
            source: a storage, or a tensor of this dtype; an empty storage when left out.
            storage_offset: the place of the first element in the storage.
            size: the shape; all of the storage, or that of the tensor, when left out.
            stride: the strides; those of a contiguous tensor when left out.

        Raises:
            TypeError: `source` is neither.
            RuntimeError: the tensor is recorded in a graph, or dtypes, devices or numbers do not fit.

        Example:
            >>> import specgrad as sg
            >>> x = sg.arange(6.0)
            >>> sg.empty(0).set_(x.untyped_storage(), 1, (2, 2))
            tensor([[1., 2.],
                    [3., 4.]])
        """
        from .set import set_tensor

        return set_tensor(self, source, storage_offset, size, stride)

    def is_shared(self) -> bool:
        """Whether other processes can see the memory; that of CUDA devices they can."""
        if self._device is not CPU:
            return True
        shared = sys.modules.get(_SHARED)  # where nothing has been shared it is not loaded
        return shared is not None and bool(shared.is_shared(self._storage))

    def __new__(cls, *data: Any, device: Any = None, **kwargs: Any) -> Any:
        return legacy_constructors.construct(cls, *data, device=device, **kwargs)

    def new(self, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        """`Tensor(...)` with this tensor's dtype.

        Args:
            *args: sizes, data, a storage, or another tensor.
            device: where the tensor is made; where this one is when not given.
            **kwargs: `size`, `data`, `storage` or `other`, in place of these.
        """
        return legacy_constructors.new(self, args, kwargs, device)

    def type(self, dtype: Any = None, non_blocking: Any = False) -> Any:
        """The elements as `dtype`, which may be `LongTensor` or its name, that of a CUDA device too; without it, that
        name of the tensor's. `non_blocking` is as in `to`."""
        if dtype.__class__ is Dtype:
            return self if dtype is self._dtype else converted(self, dtype)
        if dtype is None:
            return legacy_constructors.type_of(self)
        kind, device = legacy_constructors.named_type(dtype)
        if device is None or device == self._device.type:
            return self.to(kind)  # type: ignore[attr-defined]
        return self.to(device, kind, non_blocking=non_blocking)  # type: ignore[attr-defined]
