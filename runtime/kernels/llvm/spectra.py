"""Spectra of real numbers inside numba kernels, from transforms of half as many complex ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from . import for_numba
from .pairs import read_pairs, write_pairs
from .vectors import Vectors


@for_numba
def half_spectrum(context: Any, like: Any, source: Any, plane: Any, out: Any, n: Any, turns: Any, scale: Any) -> Any:
    """half_spectrum(like, source, plane, out, n, turns, scale): of 2 n real numbers, whose pairs were transformed.

    Numbers of even and of odd places have the symmetric and the antisymmetric part of the transform as theirs. What
    stands behind the last number is read as the first; `turns` are cosines and then sines of 2 pi k / (2 n).
    """
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _Spectrum(Vectors(context, builder, like), *args[1:6]).emit_half(args[6])
        return context.get_dummy_value()

    return types.void(like, *[types.int64] * 5, like), code


@for_numba
def whole_spectrum(context: Any, like: Any, source: Any, plane: Any, to: Any, n: Any, turns: Any, factor: Any) -> Any:
    """whole_spectrum(like, source, plane, to, n, turns, factor): from pairs, the transform that `half_spectrum` reads.

    Twice that, and times a factor.
    """
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _Spectrum(Vectors(context, builder, like), *args[1:6]).emit_whole(args[6])
        return context.get_dummy_value()

    return types.void(like, *[types.int64] * 5, like), code


class _Spectrum:
    """The code of half_spectrum and whole_spectrum: numbers k meet those of n - k, which are read backwards."""

    def __init__(self, vectors: Vectors, *args: Any) -> None:
        self.vectors, self.builder = vectors, vectors.builder
        self.source, self.plane, self.to, self.n, self.turns = args

    @contextmanager
    def each_vector(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """For each vector of k: how many bytes it, and the one of n - k, lie from the first; cosines and sines."""
        from numba.core import cgutils

        builder, vectors = self.builder, self.vectors
        extent = builder.mul(self.n, vectors.number(vectors.size))
        with cgutils.for_range(builder, builder.sdiv(self.n, vectors.number(vectors.lanes))) as loop:
            at = builder.mul(loop.index, vectors.number(vectors.bytes))
            back = builder.sub(builder.sub(extent, at), vectors.number(vectors.bytes - vectors.size))
            cosines = builder.add(self.turns, at)
            yield at, back, vectors.load(cosines), vectors.load(builder.add(cosines, extent))

    def combined(self, a: Any, b: Any, c: Any, d: Any) -> list[Any]:
        """Sums and differences of a number and the conjugate c - i d of another one."""
        builder = self.builder
        return [builder.fadd(a, c), builder.fsub(b, d), builder.fsub(a, c), builder.fadd(b, d)]

    def emit_half(self, scale: Any) -> None:
        builder, vectors = self.builder, self.vectors
        half = vectors.spread(builder.fmul(scale, vectors.ir.Constant(vectors.element, 0.5)))
        with self.each_vector() as (at, back, cosine, sine):
            here, there = builder.add(self.source, at), builder.add(self.source, back)
            a, b = vectors.load(here), vectors.load(builder.add(here, self.plane))
            others = vectors.load(there), vectors.load(builder.add(there, self.plane))
            order = range(vectors.lanes)[::-1]
            c, d = (vectors.shuffled(part, part, order) for part in others)
            real, imaginary, less, odd = self.combined(a, b, c, d)
            real = vectors.fma(odd, cosine, vectors.fma(builder.fneg(less), sine, real))
            imaginary = builder.fsub(imaginary, vectors.fma(less, cosine, builder.fmul(odd, sine)))
            value = builder.fmul(real, half), builder.fmul(imaginary, half)
            write_pairs(vectors, value, builder.add(self.to, builder.mul(at, vectors.number(2))))

    def emit_whole(self, factor: Any) -> None:
        builder, vectors = self.builder, self.vectors
        by = vectors.spread(factor)
        with self.each_vector() as (at, back, cosine, sine):
            here, there = (builder.add(self.source, builder.mul(x, vectors.number(2))) for x in (at, back))
            real, imaginary, even, odd = self.combined(*read_pairs(vectors, here), *read_pairs(vectors, there, -1))
            real = builder.fsub(real, vectors.fma(even, sine, builder.fmul(odd, cosine)))
            imaginary = vectors.fma(even, cosine, vectors.fma(builder.fneg(odd), sine, imaginary))
            target = builder.add(self.to, at)
            vectors.store(builder.fmul(real, by), target)
            vectors.store(builder.fmul(imaginary, by), builder.add(target, self.plane))
