"""`vmap`: a function of one example becomes one of a batch of examples."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...extension_points import fill
from ...namespace import op
from ...pytree import flatten, unflatten
from ...tensor.generator import get_rng_state, set_rng_state
from ...tensor.observers import EXAMPLES, Watcher
from ...tensor.tensor import TensorBase
from ...tracebacks import hide_internal_frames
from .batched_tensor import batch_first, level_of, wrap
from .custom_function import apply_batched
from .dims import RANDOMNESS, let_watch, name_of, output_dims, parsed_in_dims, vmap_level
from .intercept import intercept

let_watch(Watcher(intercept=intercept, function=apply_batched, order=10, concern=EXAMPLES))


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
        in_dims: the dimension of each positional argument to map over, None for what all examples share; a number for
            all arguments, or a tuple that is nested like them. Keyword arguments are shared.
        out_dims: where that dimension stands in each output; None for outputs that all examples share.
        randomness: what random ops do: 'error', 'same' numbers for all examples, or 'different' ones.
        chunk_size: at most so many examples at once, to save memory; all when None.

    Returns:
        A function of the same arguments with one more dimension.

    Raises:
        ValueError: the arguments do not fit `in_dims`, the outputs do not fit `out_dims`, sizes to map over differ, or
            an output that is mapped is no Tensor.
        RuntimeError: `randomness` is none of the three; while the function runs, what depends on the values of one
            example (`.item()`, `if x > 0`), or writes values that differ to what all examples share.

    Example:
        >>> import specgrad as sg
        >>> sg.vmap(sg.dot)(sg.ones(3, 2), sg.arange(6.0).reshape(3, 2))
        tensor([1., 5., 9.])
        >>> sg.vmap(lambda x, w: x * w, in_dims=(1, None), out_dims=1)(sg.ones(2, 3), sg.tensor([1.0, 10.0]))
        tensor([[ 1.,  1.,  1.],
                [10., 10., 10.]])
    """
    if randomness not in RANDOMNESS:
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}, in vmap"
        )
    if not (chunk_size is None or (isinstance(chunk_size, int) and chunk_size > 0)):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            mapped = Mapped(func, out_dims, randomness, *parsed_in_dims(func, in_dims, args, kwargs))
            if chunk_size is None or mapped.size <= chunk_size:
                return unflatten(*mapped.all_at_once()[:2])
            return mapped.in_chunks(chunk_size)
        except Exception as error:
            hide_internal_frames(error)
            raise

    return wrapped


class Mapped(NamedTuple):
    """One call of a function under vmap: the leaves of its arguments, with the dimension to map over of each."""

    func: Any
    out_dims: Any
    randomness: str
    leaves: Sequence[Any]
    dims: Sequence[Any]
    spec: Any  # of (args, kwargs)
    size: int

    def all_at_once(self) -> tuple[list[Any], Any, list[Any]]:
        with vmap_level(self.size, self.randomness) as level:
            examples = [_as_example(leaf, dim, level) for leaf, dim in zip(self.leaves, self.dims, strict=True)]
            args, kwargs = unflatten(examples, self.spec)
            returned = self.func(*args, **kwargs)
            outputs, spec = flatten(returned)
            out_positions = output_dims(self.func, self.out_dims, returned, spec)
            check_outputs(self.func, outputs, out_positions, level)
            batches = [self._as_batch(out, dim, level) for out, dim in zip(outputs, out_positions, strict=True)]
        return batches, spec, out_positions

    def _as_batch(self, output: Any, dim: Any, level: int) -> Any:
        if dim is None:
            return output
        batch = batch_first(output, level, self.size)
        return batch if dim == 0 else batch.movedim(0, int(dim))

    def in_chunks(self, count: int) -> Any:
        parts = []
        state = get_rng_state() if self.randomness == "same" else None
        for start in range(0, self.size, count):
            if state is not None:
                set_rng_state(state)
            parts.append(self._chunk(start, min(count, self.size - start)).all_at_once())
        _, spec, out_positions = parts[0]
        batches = zip(*[outputs for outputs, _, _ in parts], strict=True)
        concatenated = [
            items[0] if dim is None else op.cat(items, int(dim))
            for dim, items in zip(out_positions, batches, strict=True)
        ]
        return unflatten(concatenated, spec)

    def _chunk(self, start: int, count: int) -> "Mapped":
        leaves = [
            leaf if dim is None else leaf.narrow(dim, start, count)
            for leaf, dim in zip(self.leaves, self.dims, strict=True)
        ]
        return Mapped(self.func, self.out_dims, self.randomness, leaves, self.dims, self.spec, count)


def _as_example(leaf: Any, dim: Any, level: int) -> Any:
    return leaf if dim is None else wrap(leaf if dim == 0 else leaf.movedim(dim, 0), level)


def check_outputs(func: Any, outputs: Sequence[Any], out_positions: Sequence[Any], level: int) -> None:
    name = name_of(func)
    for output, dim in zip(outputs, out_positions, strict=True):
        if dim is None and level_of(output) == level:
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        if dim is not None and not isinstance(output, TensorBase):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(output)}. Did you mean to set "
                "out_dims= to None for output?"
            )


fill("vmap", vmap)
