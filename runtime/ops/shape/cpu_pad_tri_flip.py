"""Copies with something else around or beside what is copied: triangles, padding, and the order reversed."""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.copies import contiguous
from ...kernels.jit import jit

Array = np.ndarray
Ints = tuple[int, ...]


def triu(a: Array, diagonal: int) -> Array:
    """a_ij where j - i >= diagonal, else 0."""
    return _triangle(a, diagonal, True) if a.dtype.kind == "f" else np.triu(a, diagonal)


def tril(a: Array, diagonal: int) -> Array:
    """a_ij where j - i <= diagonal, else 0."""
    return _triangle(a, diagonal + 1, False) if a.dtype.kind == "f" else np.tril(a, diagonal)


def _triangle(a: Array, diagonal: int, upper: bool) -> Array:
    result = np.empty(a.shape, a.dtype)
    if result.size:
        _split_rows(contiguous(a).reshape(-1, *a.shape[-2:]), diagonal, upper, result.reshape(-1, *a.shape[-2:]))
    return result


@jit
def _split_rows(a: Array, diagonal: int, upper: bool, result: Array) -> None:
    """Of each row i what comes from place i + diagonal on, or what comes before; zeros for the rest."""
    for b in range(a.shape[0]):
        for i in range(a.shape[1]):
            row, out = a[b, i], result[b, i]
            at = min(max(i + diagonal, 0), row.size)
            zeros, kept, to = (out[:at], row[at:], out[at:]) if upper else (out[at:], row[:at], out[:at])
            for j in range(zeros.size):
                zeros[j] = 0
            for j in range(kept.size):
                to[j] = kept[j]


def constant_pad_nd(a: Array, pad: Ints, value: int | float | complex) -> Array:
    """The last dimensions grown by pairs of `pad`, or cut where these are negative."""
    pairs = [(0, 0)] * (a.ndim - len(pad) // 2) + list(zip(pad[-2::-2], pad[::-2], strict=True))
    sizes = [n + left + right for n, (left, right) in zip(a.shape, pairs, strict=True)]
    result = np.empty(sizes, a.dtype)
    inside = result
    for dim, (left, right) in enumerate(pairs):  # the borders of one dimension after the other, and what is inside
        before = (slice(None),) * dim
        for border in (slice(0, max(left, 0)), slice(inside.shape[dim] - max(right, 0), None)):
            inside[*before, border] = value
        inside = inside[*before, max(left, 0) : inside.shape[dim] - max(right, 0)]
    kept = tuple(slice(max(-left, 0), n - max(-right, 0)) for n, (left, right) in zip(a.shape, pairs, strict=True))
    inside[...] = a[kept]
    return result


def flip(a: Array, dims: Ints) -> Array:
    """The order reversed along `dims`."""
    if a.dtype.kind == "f" and a.ndim and a.ndim - 1 in dims and a.flags.c_contiguous and a.size:
        rest = np.flip(a, tuple(d for d in dims if d != a.ndim - 1))
        rows = rest.reshape(-1, a.shape[-1])
        result = np.empty(rows.shape, a.dtype)
        _reverse_rows(rows, result)
        return result.reshape(a.shape)
    return np.flip(a, dims if a.ndim else ()).copy()


@jit
def _reverse_rows(rows: Array, result: Array) -> None:
    last = np.uint64(rows.shape[1] - 1)
    for r in range(rows.shape[0]):
        row, out = rows[r], result[r]
        for i in range(out.size):
            out[i] = row[last - np.uint64(i)]  # unsigned: an index that cannot count from the end
