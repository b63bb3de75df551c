"""Several tensors as one, and back: buckets of gradients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...generated.ops import cat
from ...generated.tensor import Tensor


def flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """The elements of tensors of one dtype, one after the other.

    Args:
        tensors: the tensors.
    """
    return cat([tensor.reshape(-1) for tensor in tensors])


def unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of parts of a vector, of the shapes that some tensors have.

    Args:
        flat: what `flatten_dense_tensors` gave.
        tensors: tensors of these shapes.
    """
    parts = flat.split([tensor.numel() for tensor in tensors])
    return tuple(part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True))


def take_tensors(tensors: Iterable[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Tensors in lists of one dtype that have some number of bytes together, or little more.

    Args:
        tensors: the tensors.
        size_limit: that number.
    """
    waiting: dict[object, list[Tensor]] = {}
    for tensor in tensors:
        bucket = waiting.setdefault(tensor.dtype, [])
        used = sum(one.numel() * one.element_size() for one in bucket)
        if bucket and used + tensor.numel() * tensor.element_size() > size_limit:
            yield bucket
            bucket = waiting[tensor.dtype] = []
        bucket.append(tensor)
    yield from (bucket for bucket in waiting.values() if bucket)
