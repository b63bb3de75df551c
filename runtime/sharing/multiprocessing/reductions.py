"""How tensors and storages travel to other processes: as descriptors of the files in which their memory lies.

The pickler of Python's `multiprocessing` asks `reduce_tensor` and `reduce_storage`: what is not shared yet is moved to
shared memory first, so that sender and receiver see what either writes. Receivers have one array for each file, so
that tensors which shared memory in one process share it in the other.
"""

from __future__ import annotations

from collections import OrderedDict
from multiprocessing.reduction import ForkingPickler
from typing import Any

from ...saving import rebuild
from ...tensor.base import TensorBase, plain_classes, tensor_class
from ...tensor.devices import CPU
from ...tensor.dtypes import dtype, from_name, from_numpy
from ..storages.shared import Segment, opened, segment_of, share, share_tensor
from ..storages.untyped import UntypedStorage, of_array
from .delivery import handle_of, wait_in_processes

Reduced = tuple[Any, tuple[Any, ...]]


def init_reductions() -> None:
    """Let `multiprocessing` send tensors, of all classes that there are by now, and storages through shared memory."""
    wait_in_processes()
    own = tensor_class().__reduce_ex__
    for cls in plain_classes:
        if cls.__reduce_ex__ is own:  # a class with another says itself how it is pickled
            ForkingPickler.register(cls, reduce_tensor)
    ForkingPickler.register(UntypedStorage, reduce_storage)
    ForkingPickler.register(Segment, _reduce_segment)
    ForkingPickler.register(OrderedDict, _reduce_dict)


def share_tensors(tensors: list[Any]) -> None:
    """Move the memory of tensors of the CPU, and of all that share it, to where other processes can see it."""
    init_reductions()  # for the queues of Python's own module too
    here = [tensor for tensor in tensors if tensor._device is CPU and tensor._storage.nbytes]
    if len(here) == 1:
        share_tensor(here[0])  # which may be alone in its memory
    else:
        share(tensor._storage for tensor in here)


def reduce_tensor(tensor: Any) -> Reduced:
    """A tensor as its file, layout and attributes; of CUDA devices, and without elements, by value.

    Args:
        tensor: what the pickler meets.

    Raises:
        RuntimeError: the tensor is no leaf of a graph, which stays in its process.
    """
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
            "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor before "
            "serializing (e.g., putting it on the queue)."
        )
    if tensor._device is not CPU or not tensor._storage.nbytes:
        return rebuild.reduce(tensor)
    share_tensor(tensor)
    cls, storage, layout, requires_grad, _, attributes, kind = rebuild.parts(tensor)
    return rebuild_tensor, (cls, segment_of(storage), layout, requires_grad, attributes, kind)


def rebuild_tensor(
    cls: type,
    storage: Any,
    layout: tuple[tuple[int, ...], tuple[int, ...], int],
    requires_grad: bool,
    attributes: dict[str, Any],
    kind: dtype,
) -> TensorBase:
    """The tensor in the process that has received it.

    Args:
        cls: its class.
        storage: the array over the file.
        layout: shape, strides and offset.
        requires_grad: whether it is a leaf that learns.
        attributes: those of Python.
        kind: the dtype.
    """
    result: TensorBase = rebuild.rebuild(cls, storage, layout, requires_grad, CPU, attributes, kind)
    return result


def _reduce_dict(values: OrderedDict[Any, Any]) -> Any:
    """A dict as it is pickled anyway. What a `state_dict` holds moves at once: who else has it is asked only once."""
    tensors = [value for value in values.values() if type(value) in plain_classes and value.is_leaf]
    if len(tensors) > 1:
        share_tensors(tensors)
    return values.__reduce_ex__(2)


def reduce_storage(storage: UntypedStorage) -> Reduced:
    """A storage as its file; of other devices, and without elements, by value.

    Args:
        storage: what the pickler meets.
    """
    if storage.device.type != "cpu" or not storage.nbytes():
        return of_array, (storage._array,)
    share([storage._array])
    return of_array, (segment_of(storage._array),)


def _reduce_segment(segment: Segment) -> Reduced:
    return _received, (handle_of(segment.descriptor), segment.size, from_numpy(segment.kind).name)


def _received(handle: Any, size: int, kind: str) -> Any:
    try:
        descriptor = handle.detach()
    except (ConnectionError, FileNotFoundError, EOFError) as error:
        raise RuntimeError(
            "a tensor cannot be received: the process that sent it has ended, or has let go of its memory"
        ) from error
    return opened(descriptor, size, from_name(kind).np)
