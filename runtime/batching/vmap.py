"""`vmap`: a function of one example becomes one of a batch of examples."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import type_name
from ..namespace import op
from ..pytree import broadcast_prefix, flatten, unflatten
from ..tensor import TensorBase
from .levels import RANDOMNESS, vmap_level
from .tensor import level_of, whole, wrap


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that maps `func` over a dimension of its arguments, all examples at once.

    vmap(f)(xs)[i] = f(xs[i]). The ops in f compute whole batches by their batching rules; f is called once.

    Args:
        func: a function of tensors, or of nested tuples, lists and dictionaries of them, to the same.
        in_dims: the dimension of each argument to map over, None for what all examples share; nested like the
            arguments, or one number for all.
        out_dims: where that dimension stands in each output.
        randomness: what random ops do: 'error', 'same' numbers for all examples, or 'different' ones.
        chunk_size: at most so many examples at once, to save memory; all when None.

    Returns:
        A function of the same arguments with one more dimension.

    Raises:
        ValueError: the arguments do not fit `in_dims`, or their sizes along these differ.

    Example:
        >>> import specgrad as sg
        >>> sg.vmap(sg.dot)(sg.ones(3, 2), sg.arange(6.0).reshape(3, 2))
        tensor([1., 5., 9.])
    """
    if randomness not in RANDOMNESS:
        raise RuntimeError(f"vmap: expected randomness to be one of {', '.join(RANDOMNESS)}, but got {randomness!r}")
    if not (chunk_size is None or (isinstance(chunk_size, int) and chunk_size > 0)):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        leaves, dims, spec, size = _arguments(func, in_dims, args, kwargs)
        if chunk_size is not None:
            return _in_chunks(func, leaves, dims, spec, size, out_dims, randomness, chunk_size)
        return _mapped(func, leaves, dims, spec, size, out_dims, randomness)

    return wrapped


def _arguments(func: Any, in_dims: Any, args: Any, kwargs: Any) -> tuple[list[Any], list[Any], Any, int]:
    """The leaves of all arguments, the dimension each is mapped over, their structure and the number of examples."""
    name = getattr(func, "__name__", type_name(func))
    if not isinstance(in_dims, (int, list, tuple)) or isinstance(in_dims, bool):
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially nested) "
            f"tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
            "function with no inputs. The latter is unsupported."
        )
    leaves, spec = flatten((args, kwargs))
    given = tuple(in_dims) if isinstance(in_dims, list) else in_dims
    dims = broadcast_prefix((given, None), (args, kwargs))
    if dims is None:
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of inputs."
        )
    dims = [_checked(name, in_dims, leaf, dim) for leaf, dim in zip(leaves, dims, strict=True)]
    return leaves, dims, spec, _size(name, leaves, dims)


def _checked(name: str, in_dims: Any, leaf: Any, dim: Any) -> Any:
    """A dimension counted from the front, after checking that the argument has it."""
    if dim is None:
        return None
    where = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for an input"
    if not isinstance(dim, int) or isinstance(dim, bool):
        raise ValueError(f"{where} but in_dim must be either an integer dimension or None.")
    if not isinstance(leaf, TensorBase):
        raise ValueError(
            f"{where} but the input is of type {type(leaf)}. We cannot vmap over non-Tensor arguments, please use None "
            "as the respective in_dim"
        )
    rank = len(leaf._shape)
    if not -rank <= dim < rank:
        raise ValueError(
            f"{where}, but that input is a Tensor of dimensionality {rank} so expected in_dim to satisfy "
            f"-{rank} <= in_dim < {rank}."
        )
    return dim % rank


def _size(name: str, leaves: Sequence[Any], dims: Sequence[Any]) -> int:
    sizes = [leaf._shape[dim] for leaf, dim in zip(leaves, dims, strict=True) if dim is not None]
    if not sizes:
        raise ValueError(
            f"vmap({name}, ...)(<inputs>): at least one input must be mapped over, but all in_dims are None"
        )
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    return sizes[0]


def _mapped(
    func: Any, leaves: Sequence[Any], dims: Sequence[Any], spec: Any, size: int, out_dims: Any, randomness: str
) -> Any:
    """One call of the function, for all examples."""
    with vmap_level(size, randomness) as level:
        examples = [_as_example(leaf, dim, level) for leaf, dim in zip(leaves, dims, strict=True)]
        args, kwargs = unflatten(examples, spec)
        outputs, out_spec = flatten(func(*args, **kwargs))
        places = broadcast_prefix(
            tuple(out_dims) if isinstance(out_dims, list) else out_dims, unflatten(outputs, out_spec)
        )
        _check_outputs(func, outputs, places, out_dims)
        results = [_as_batch(out, dim, level, size) for out, dim in zip(outputs, places or (), strict=True)]
    return unflatten(results, out_spec)


def _as_example(leaf: Any, dim: Any, level: int) -> Any:
    return leaf if dim is None else wrap(leaf if dim == 0 else leaf.movedim(dim, 0), level)


def _check_outputs(func: Any, outputs: Sequence[Any], places: Any, out_dims: Any) -> None:
    name = getattr(func, "__name__", type_name(func))
    for output in outputs:
        if not isinstance(output, TensorBase):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(output)}. Did you mean to set "
                "out_dims= to None for output?"
            )
    if places is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
            "outputs."
        )


def _as_batch(output: Any, dim: Any, level: int, size: int) -> Any:
    """The batch of an output, with the examples at `dim`; the one example that all are alike when it is None."""
    if dim is None:
        if level_of(output) == level:
            raise ValueError(
                "vmap: out_dims is None for an output that differs between the examples: expected a dimension to put "
                "them at"
            )
        return output
    batch = whole(output, level, size)
    return batch if dim == 0 else batch.movedim(0, dim)


def _in_chunks(
    func: Any,
    leaves: Sequence[Any],
    dims: Sequence[Any],
    spec: Any,
    size: int,
    out_dims: Any,
    randomness: str,
    chunk_size: int,
) -> Any:
    """Some examples after the others; the outputs of all put together."""
    parts = []
    for start in range(0, size, chunk_size):
        count = min(chunk_size, size - start)
        chunk = [
            leaf if dim is None else leaf.narrow(dim, start, count) for leaf, dim in zip(leaves, dims, strict=True)
        ]
        parts.append(flatten(_mapped(func, chunk, dims, spec, count, out_dims, randomness)))
    places = broadcast_prefix(out_dims, unflatten(parts[0][0], parts[0][1])) or []
    joined = [
        items[0] if dim is None else op.cat(list(items), dim)
        for dim, items in zip(places, zip(*(outputs for outputs, _ in parts), strict=True), strict=True)
    ]
    return unflatten(joined, parts[0][1])
