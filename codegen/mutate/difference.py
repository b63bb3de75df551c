"""Searches a call that tells a mutant from its entry: two changes away from the samples, of numbers that nobody chose.

Numbers as they are drawn, small whole ones (ties, singular matrices), infinities, nan and signed zeros, in all kinds
of dtypes, strided, in batches. Two records differ where one alone refuses, or where values, dtypes, shapes, or
derivatives of first or second order differ by more than some roundings.
"""

import itertools
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from specgrad.runtime.autograd.backward import grad
from specgrad.runtime.autograd.dual import dual_level, make_dual, unpack_dual
from specgrad.runtime.extensions.vmap import vmap
from specgrad.runtime.tensor import dtypes
from specgrad.runtime.tensor.tensor import share

from ..verify.calls.findings import close, largest
from ..verify.calls.point import TypedCall, in_dtype
from ..verify.calls.samples import sample_calls
from ..verify.calls.variants import of_sample, variants
from ..verify.checks.layouts import scattered

MAX_TWO_CHANGE_CALLS = 60  # calls that are two changes away from a sample
ROUNDINGS = 64  # units of the last place, of the largest number
KINDS = [dtypes.from_name(name) for name in ("float64", "complex128", "float16")]  # of all numbers
# of those that are drawn
SAMPLE_DTYPES = [dtypes.from_name(name) for name in ("bool", "uint8", "int32", "int64", "float32")]
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e30, 1e-30)

Numbers = Callable[[np.random.Generator, np.ndarray], np.ndarray]
Answer = list[np.ndarray | str]
Question = Callable[[TypedCall], Iterator[list[Any]]]


class Difference(NamedTuple):
    """The call that tells two records apart, empty where none does; and how many were compared."""

    call: str
    calls: int


def difference(op: Any, other: Any) -> Difference:
    count = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for text in _sources(op):
            try:
                call, twin = TypedCall(op, text), TypedCall(other, text)
            except Exception:  # of whatever kind: such a call cannot be drawn
                continue
            for about, ask in _questions(call):
                one, its = _answer(call, ask), _answer(twin, ask)
                if len(one) != len(its) or not all(map(_same, one, its)):
                    return Difference(f"({text}){about}", count)
                count += not isinstance(one[0], str)
    return Difference("", count)


def _sources(op: Any) -> list[str]:
    made = variants(op, max_count=None)
    first = [*sample_calls(op), *op.hard, *made]
    second = (text for one in made for text in of_sample(op, one))
    from_flat = list(dict.fromkeys(text for text in second if text not in first))
    return [*first, *from_flat[:: max(1, len(from_flat) // MAX_TWO_CHANGE_CALLS)]]


def _questions(call: TypedCall) -> Iterator[tuple[str, Question]]:
    rng = np.random.default_rng(zlib.crc32(call.text.encode()))
    sample = call.values([dtypes.float64])
    for (name, numbers), kind in itertools.product(NUMBERS.items(), KINDS):
        arrays = [in_dtype(numbers(rng, array), kind) for array in sample]
        yield f" of {name}, {kind.name}", partial(_derivatives, arrays)
        yield f" of {name}, {kind.name}, forward", partial(_tangents, arrays)
    yield from ((f" of {kind.name}", partial(_derivatives, call.values([kind]))) for kind in SAMPLE_DTYPES)
    yield " strewn in memory", partial(_derivatives, [scattered(array) for array in sample])
    for chosen in itertools.islice(itertools.product((0, -1, None), repeat=len(sample)), 9):
        if any(dim is not None for dim in chosen):
            yield f" in batches along {chosen}", partial(_batch, sample, chosen)


NUMBERS: dict[str, Numbers] = {
    "numbers as drawn": lambda rng, array: array,
    "other numbers": lambda rng, array: rng.permuted(array.reshape(-1)).reshape(array.shape) * 1.5,
    "positive numbers": lambda rng, array: abs(array),
    "small whole numbers": lambda rng, array: np.asarray(rng.integers(-2, 3, array.shape), np.float64),
    "special numbers": lambda rng, a: np.where(rng.random(a.shape) < 0.3, rng.choice(SPECIAL, a.shape), a),
}


# What a call gives.


def _answer(call: TypedCall, ask: Question) -> Answer:
    matches: Answer = []
    try:
        for tensors in ask(call):
            matches += [np.array(tensor.detach().array) for tensor in tensors]
    except Exception as error:
        return [*matches, type(error).__name__]
    return matches or ["nothing"]


def _derivatives(arrays: Sequence[np.ndarray], call: TypedCall) -> Iterator[list[Any]]:
    leaves = call.leaves(arrays)
    yield (outputs := call.apply(leaves))
    grad_leaves = [leaf for leaf in leaves if leaf.requires_grad]
    yield (first := _gradients(outputs, grad_leaves))
    yield _gradients(first, grad_leaves)


def _gradients(outputs: Sequence[Any], leaves: Sequence[Any]) -> list[Any]:
    roots = [output for output in outputs if output.requires_grad]
    if not roots or not leaves:
        return []
    return list(grad(roots, leaves, [_direction(root) for root in roots], create_graph=True, materialize_grads=True))


def _tangents(arrays: Sequence[np.ndarray], call: TypedCall) -> Iterator[list[Any]]:
    with dual_level():
        duals = [make_dual(leaf, _direction(leaf)) if leaf.requires_grad else leaf for leaf in call.leaves(arrays)]
        pairs = [unpack_dual(output) for output in call.apply(duals)]
        yield [pair.tangent for pair in pairs if pair.tangent is not None]


def _batch(arrays: Sequence[np.ndarray], dims: Sequence[int | None], call: TypedCall) -> Iterator[list[Any]]:
    pairs = zip(arrays, dims, strict=True)
    stacks = [a if d is None else np.stack([np.roll(a, k) for k in range(3)], d) for a, d in pairs]
    yield list(vmap(lambda *tensors: tuple(call.apply(tensors)), tuple(dims))(*map(share, stacks)))


def _direction(tensor: Any) -> Any:
    rng = np.random.default_rng(tensor.numel())
    values = np.asarray(rng.standard_normal(tensor.shape))
    complex_values = values + 1j * rng.standard_normal(tensor.shape) if tensor._dtype.kind == "c" else values
    return share(np.asarray(complex_values).astype(tensor._dtype.np))


# Whether two answers are the same.


def _same(a: np.ndarray | str, b: np.ndarray | str) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str) and a == b
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "biu":
        return bool((a == b).all())
    return close(a, b, 0.0, ROUNDINGS * float(np.finfo(a.dtype).eps) * largest(b))
