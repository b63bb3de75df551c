"""Parameters as one vector, and back; several tensors as one, and back."""

from collections.abc import Iterable, Iterator, Sequence

from ...generated.ops import cat
from ...generated.tensor import Tensor
from ...runtime.errors import type_name


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, flattened and joined.

    Args:
        parameters: the parameters, in order.

    Example:
        >>> list(sg.nn.utils.parameters_to_vector(sg.nn.Linear(3, 2).parameters()).shape)
        [8]
    """
    return cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let each parameter take its piece of `vec`, in order; the pieces are views of `vec`.

    Args:
        vec: the vector, with as many elements as all parameters together.
        parameters: the parameters, in order.

    Raises: TypeError: `vec` is not a Tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"vector_to_parameters(): argument 'vec': expected Tensor, but got: {type_name(vec)}")
    start = 0
    for parameter in parameters:
        end = start + parameter.numel()
        parameter.data = vec[start:end].view_as(parameter).data
        start = end


def flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """The elements of `tensors`, of one dtype, one after the other."""
    return cat([tensor.reshape(-1) for tensor in tensors])


def unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of parts of `flat`, a vector that `flatten_dense_tensors` gave, of the shapes of `tensors`."""
    parts = flat.split([tensor.numel() for tensor in tensors])
    return tuple(part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True))


def take_tensors(tensors: Iterable[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Tensors in lists of one dtype that have `size_limit` bytes together, or little more."""
    waiting: dict[object, list[Tensor]] = {}
    for tensor in tensors:
        bucket = waiting.setdefault(tensor.dtype, [])
        used = sum(one.numel() * one.element_size() for one in bucket)
        if bucket and used + tensor.numel() * tensor.element_size() > size_limit:
            yield bucket
            bucket = waiting[tensor.dtype] = []
        bucket.append(tensor)
    yield from (bucket for bucket in waiting.values() if bucket)
