"""The memory of a tensor as a storage: methods of `Tensor`. What they call is loaded when it is first asked for."""

from __future__ import annotations

import sys
from typing import Any

from ..tensor.devices import CPU

_SHARED = f"{__package__.rpartition('.')[0]}.sharing.storages.shared"


def storage(self: Any) -> Any:
    """The memory as a `TypedStorage` of this dtype, deprecated as in PyTorch: see `untyped_storage`.

    Example:
        >>> import specgrad as sg
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")  # it is said once that typed storages are deprecated
        ...     sg.arange(4)[2:].storage().tolist()
        [0, 1, 2, 3]
    """
    from ..sharing.storages.typed import storage_of

    return storage_of(self)


def typed_storage(self: Any) -> Any:
    """`storage()` without its warning."""
    from ..sharing.storages.typed import wrapped

    return wrapped(untyped_storage(self), self._dtype)


def untyped_storage(self: Any) -> Any:
    """The memory as an `UntypedStorage`, the same object for all tensors that share it.

    Example:
        >>> import specgrad as sg
        >>> x = sg.zeros(2, 3)
        >>> x.untyped_storage().nbytes(), x[0].untyped_storage() is x.untyped_storage()
        (24, True)
    """
    from ..sharing.storages.typed import of_array  # with which the untyped ones find the typed ones

    return of_array(self._storage)


def set_(self: Any, source: Any = None, storage_offset: Any = 0, size: Any = None, stride: Any = None) -> Any:
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
    from ..sharing.storages.setting import set_tensor

    return set_tensor(self, source, storage_offset, size, stride)


def is_shared(self: Any) -> bool:
    """Whether other processes can see the memory; that of CUDA devices they can."""
    if self._device is not CPU:
        return True
    shared = sys.modules.get(_SHARED)  # where nothing has been shared it is not loaded
    return shared is not None and bool(shared.is_shared(self._storage))


def share_memory_(self: Any) -> Any:
    """Move to memory that other processes can see, with all tensors that share it; see `specgrad.multiprocessing`.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: the system cannot share memory.

    Example:
        >>> import specgrad as sg
        >>> sg.zeros(2).share_memory_().is_shared()
        True
    """
    from ..sharing.multiprocessing.reductions import share_tensors

    share_tensors([self])
    return self


def module_load(self: Any, other: Any, assign: bool = False) -> Any:
    """What becomes of `other` when `load_state_dict` gives it to a module in the place of this tensor.

    It is asked where parameters are exchanged (`__future__.set_swap_module_params_on_conversion`); a subclass may say
    something else.

    Args:
        other: the tensor that is loaded.
        assign: take `other` as it is; otherwise its values in the dtype and on the device of this tensor.

    Example:
        >>> import specgrad as sg
        >>> sg.zeros(2).module_load(sg.ones(2, dtype=sg.float64))
        tensor([1., 1.])
    """
    return other.detach() if assign else self.detach().copy_(other)
