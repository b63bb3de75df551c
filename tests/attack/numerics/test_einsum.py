"""Random equations of einsum and lists of tensordot: values, slopes, slopes of slopes and batches, cell by cell.

The reference knows nothing of matrix products: it visits every combination of indices. Sizes are 0 to 3, and each
operand may have 1 where others have more.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

import specgrad as sg
from tests.attack.amount import SEED, amount

Array = np.ndarray
DTYPES = (np.float64, np.complex128, np.int64, np.float32, np.complex64)
STEP = 1e-4  # of differences of gradients, which are polynomials of low degree


class Contraction(NamedTuple):
    """An equation, and the labels of its operands and its result: letters, or numbers for what an ellipsis means."""

    equation: str
    operands: tuple[tuple[Any, ...], ...]
    output: tuple[Any, ...]
    shapes: tuple[tuple[int, ...], ...]


def sampled(rng: random.Random) -> Contraction:
    """An equation whose labels repeat, broadcast, are summed and rearranged."""
    arg_kinds = rng.sample("abcdeXYZ", rng.randint(1, 4))
    sizes: dict[Any, int] = {label: rng.choice((0, 1, 2, 2, 3, 3)) for label in (*arg_kinds, -1, -2)}
    dotted, terms, operands, shapes = rng.random() < 0.3, [], [], []
    for _ in range(rng.choice((1, 2, 2, 2, 3, 4))):
        own: list[Any] = rng.choices(arg_kinds, k=rng.randint(0, 3))
        dots = range(-rng.randint(0, 2), 0) if dotted and rng.random() < 0.7 else None
        position = rng.randint(0, len(own))
        terms.append("".join(own if dots is None else [*own[:position], "...", *own[position:]]))
        labels = own if dots is None else [*own[:position], *dots, *own[position:]]
        here = {label: 1 if rng.random() < 0.25 else sizes[label] for label in labels}
        operands.append(tuple(labels))
        shapes.append(tuple(here[label] for label in labels))
    every = [label for labels in operands for label in labels]
    dots = sorted({label for label in every if isinstance(label, int)})
    known = sorted({label for label in every if isinstance(label, str)})
    if rng.random() < 0.25:
        output = (*dots, *(label for label in known if every.count(label) == 1))
        return Contraction(",".join(terms), tuple(operands), output, tuple(shapes))
    chosen = rng.sample(known, rng.randint(0, len(known)))
    position, retained = rng.randint(0, len(chosen)), any("..." in term for term in terms) and rng.random() < 0.8
    right = "".join([*chosen[:position], "...", *chosen[position:]] if retained else chosen)
    output = (*chosen[:position], *(dots if retained else ()), *chosen[position:])
    return Contraction(f"{','.join(terms)}->{right}", tuple(operands), output, tuple(shapes))


def cells(one: Contraction) -> tuple[list[tuple[Array, ...]], tuple[Array, ...], tuple[int, ...]]:
    """The place in each operand and in the result of every combination of indices, and the result's shape."""
    sizes: dict[Any, int] = {}
    for labels, shape in zip(one.operands, one.shapes, strict=True):
        for label, size in zip(labels, shape, strict=True):
            sizes[label] = size if sizes.get(label, 1) == 1 else sizes[label]
    names, count = [*sizes], math.prod(sizes.values())
    grid = dict(zip(names, np.indices([*sizes.values()]).reshape(len(names), count), strict=True))
    nowhere = np.zeros(count, np.int64)
    positions = [
        (*(grid[n] if size > 1 else nowhere for n, size in zip(labels, shape, strict=True)), nowhere)
        for labels, shape in zip(one.operands, one.shapes, strict=True)
    ]
    return positions, (*(grid[n] for n in one.output), nowhere), tuple(sizes[n] for n in one.output)


def value(one: Contraction, arrays: Sequence[Array]) -> Array:
    """The sum over all cells."""
    positions, to, shape = cells(one)
    result = np.zeros((*shape, 1), arrays[0].dtype)
    np.add.at(result, to, np.prod([x[..., None][at] for x, at in zip(arrays, positions, strict=True)], axis=0))
    return result[..., 0]


def derivatives(one: Contraction, arrays: Sequence[Array], grad: Array) -> list[Array]:
    """What each operand gets of a gradient: of each cell the gradient times the conjugates of the others."""
    positions, to, _ = cells(one)
    found = []
    for number, x in enumerate(arrays):
        result = np.zeros((*x.shape, 1), x.dtype)
        others = [y[..., None][at] for k, (y, at) in enumerate(zip(arrays, positions, strict=True)) if k != number]
        np.add.at(result, positions[number], np.prod([grad[..., None][to], *map(np.conj, others)], axis=0))
        found.append(result[..., 0])
    return found


def numbers(rng: np.random.Generator, shape: Sequence[int], dtype: Any) -> Array:
    if np.dtype(dtype).kind == "i":
        return rng.integers(-9, 10, shape).astype(dtype)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def close(found: Any, right: Array, what: str, rtol: float) -> None:
    np.testing.assert_allclose(found.detach().numpy(), right, rtol=rtol, atol=10 * rtol, err_msg=what)
    assert found.detach().numpy().shape == right.shape, what


def check(one: Contraction, call: Callable[..., Any], arrays: Sequence[Array], rng: np.random.Generator) -> None:
    """Values; and for what has slopes those of both orders, and a batch of the first operand."""
    what = f"seed {SEED}: {one}, {arrays[0].dtype}"
    exact = arrays[0].dtype.itemsize // (1 + (arrays[0].dtype.kind == "c")) > 4
    rtol = 1e-11 if exact else 3e-5
    given = [sg.tensor(x) for x in arrays]
    right = value(one, arrays)
    close(call(*given), right, what, rtol)
    batch = np.stack([arrays[0], arrays[0][::-1] if arrays[0].ndim else 2 * arrays[0]])
    rows = np.stack([value(one, [x, *arrays[1:]]) for x in batch])
    close(sg.vmap(lambda x: call(x, *given[1:]))(sg.tensor(batch)), rows, f"vmap, {what}", rtol)
    if arrays[0].dtype.kind not in "fc":
        return
    for x in given:
        x.requires_grad_()
    grad = numbers(rng, right.shape, right.dtype)
    first = sg.autograd.grad(call(*given), given, sg.tensor(grad), create_graph=True)
    for found, expected in zip(first, derivatives(one, arrays, grad), strict=True):
        close(found, expected, f"slopes, {what}", rtol)
    if exact and len(given) > 1:
        ways = [numbers(rng, x.shape, x.dtype) for x in arrays]
        second = sg.autograd.grad(first, given, [sg.tensor(v) for v in ways])
        ahead, behind = (
            derivatives(one, [x + h * v for x, v in zip(arrays, ways, strict=True)], grad) for h in (STEP, -STEP)
        )
        for found, plus, minus in zip(second, ahead, behind, strict=True):
            close(found, (plus - minus) / (2 * STEP), f"slopes of slopes, {what}", 1e-6)


@pytest.mark.parametrize("chunk", range(8))
def test_equations(chunk: int, figures: Any) -> None:
    """einsum of any equation is the sum over all combinations of indices, and so are its slopes and batches."""
    rng, noise = random.Random(f"{SEED}, {chunk}"), np.random.default_rng([SEED, chunk])
    rounds = amount(40, 1500)
    for _ in range(rounds):
        one, dtype = sampled(rng), rng.choice(DTYPES)
        arrays = [numbers(noise, shape, dtype) for shape in one.shapes]
        check(one, lambda *x, equation=one.equation: sg.einsum(equation, *x), arrays, noise)
    figures("einsum", equations=rounds)


def test_pairs_of_dimensions(figures: Any) -> None:
    """tensordot sums over pairs of dimensions, of which one may have a single element."""
    rng, noise = random.Random(f"{SEED}, tensordot"), np.random.default_rng([SEED, 99])
    rounds = amount(60, 2500)
    for _ in range(rounds):
        ndim, other = rng.randint(0, 4), rng.randint(0, 4)
        count = rng.randint(0, min(ndim, other))
        ours, theirs = rng.sample(range(ndim), count), rng.sample(range(other), count)
        left = "abcd"[:ndim]
        right = ["efgh"[d] if d not in theirs else left[ours[theirs.index(d)]] for d in range(other)]
        sizes = {label: rng.choice((0, 1, 2, 3)) for label in "abcdefgh"}
        shapes = [
            tuple(1 if label in right and label in left and rng.random() < 0.3 else sizes[label] for label in own)
            for own in (left, right)
        ]
        retained = [label for label in (*left, *right) if not (label in left and label in right)]
        one = Contraction("tensordot", (tuple(left), tuple(right)), tuple(retained), (shapes[0], shapes[1]))
        dtype = rng.choice(DTYPES)
        arrays = [numbers(noise, shape, dtype) for shape in shapes]
        check(one, lambda a, b, dims=(ours, theirs): sg.tensordot(a, b, dims=dims), arrays, noise)
    figures("tensordot", calls=rounds)
