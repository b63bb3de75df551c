"""Spectra of real numbers inside numba kernels, from transforms of half as many complex ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .fft_butterflies import read_pairs, write_pairs
from .intrinsics import emitted, of_elements
from .vectors import Vectors


@of_elements("scale")
def half_spectrum(vectors: Vectors, source: Any, plane: Any, out: Any, n: Any, twiddles: Any, scale: Any) -> None:
    """Of 2 n real numbers, whose pairs were transformed: even and odd places have the symmetric and the antisymmetric
    part. Behind the last number follows the first; `turns`: cosines, then sines of 2 pi k / (2 n)."""
    _Spectrum(vectors, source, plane, out, n, twiddles).emit_half(scale)


@of_elements("factor")
def full_spectrum(vectors: Vectors, source: Any, plane: Any, to: Any, n: Any, twiddles: Any, factor: Any) -> None:
    """From pairs, the transform that `half_spectrum` reads. Twice that, and times a factor."""
    _Spectrum(vectors, source, plane, to, n, twiddles).emit_full(factor)


class _PairedRows:
    """paired_rows(...): two rows of a transform, whose even and odd rows were real and imaginary parts: `source`, and
    `other`, with the opposite frequency, read backwards. To `out` goes E + w O, times a scale, to `far` E - w O."""

    def __init__(self, vectors: Vectors, *args: Any) -> None:
        self.vectors, self.builder = vectors, vectors.builder
        self.source, self.other, self.plane, self.out, self.beyond_cache, self.width = args[:6]
        half = self.builder.fmul(args[8], vectors.ir.Constant(vectors.element, 0.5))
        self.half = vectors.splat(half)
        self.cosine, self.sine = (vectors.splat(self.builder.fmul(part, half)) for part in args[6:8])

    def emit(self) -> None:
        from numba.core import cgutils

        builder, vectors = self.builder, self.vectors
        count = builder.sdiv(self.width, vectors.number(vectors.lanes))
        with cgutils.for_range(builder, count) as loop:
            left = builder.sub(count, loop.index)
            full = builder.icmp_signed("==", loop.index, vectors.number(0))
            first = builder.select(full, vectors.number(0), left)
            offsets = [builder.mul(x, vectors.number(vectors.bytes)) for x in (loop.index, first, left)]
            self.emit_vector(offsets[0], offsets[1], builder.sub(offsets[2], vectors.number(vectors.bytes)))

    def emit_vector(self, at: Any, first: Any, rest: Any) -> None:
        builder, fma = self.builder, self.vectors.fma
        a, b = self.parts(builder.add(self.source, at))
        c, d = (
            self.vectors.shuffled(one, more, [0, *range(2 * self.vectors.lanes - 1, self.vectors.lanes, -1)])
            for one, more in zip(
                *(self.parts(builder.add(self.other, offset)) for offset in (first, rest)), strict=True
            )
        )
        even = builder.fadd(a, c), builder.fsub(b, d)
        one, two = builder.fadd(b, d), builder.fsub(c, a)
        odd = (
            fma(two, self.sine, builder.fmul(one, self.cosine)),
            fma(two, self.cosine, builder.fneg(builder.fmul(one, self.sine))),
        )
        pairs = builder.mul(at, self.vectors.number(2))
        added = tuple(fma(x, self.half, y) for x, y in zip(even, odd, strict=True))
        differences = tuple(fma(x, self.half, builder.fneg(y)) for x, y in zip(even, odd, strict=True))
        write_pairs(self.vectors, added, builder.add(self.out, pairs))
        write_pairs(self.vectors, differences, builder.add(self.beyond_cache, pairs))

    def parts(self, address: Any) -> tuple[Any, Any]:
        return self.vectors.load(address), self.vectors.load(self.builder.add(address, self.plane))


paired_rows = emitted(
    "paired_rows",
    _PairedRows,
    "source other plane out beyond_cache width cosine sine scale",
    *("cosine", "sine", "scale"),
)


class _Spectrum:
    """The code of half_spectrum and full_spectrum: numbers k meet those of n - k, which are read backwards."""

    def __init__(self, vectors: Vectors, *args: Any) -> None:
        self.vectors, self.builder = vectors, vectors.builder
        self.source, self.plane, self.to, self.n, self.twiddles = args

    @contextmanager
    def each_vector(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """For each vector of k: bytes of it, and of that of n - k, from the first; cosines and sines."""
        from numba.core import cgutils

        builder, vectors = self.builder, self.vectors
        extent = builder.mul(self.n, vectors.number(vectors.size))
        last = builder.sub(extent, vectors.number(vectors.bytes))
        more = builder.add(self.n, vectors.number(vectors.lanes - 1))
        with cgutils.for_range(builder, builder.sdiv(more, vectors.number(vectors.lanes))) as loop:
            at = builder.mul(loop.index, vectors.number(vectors.bytes))
            at = builder.select(builder.icmp_signed("<", at, last), at, last)
            back = builder.sub(builder.sub(extent, at), vectors.number(vectors.bytes - vectors.size))
            cosines = builder.add(self.twiddles, at)
            yield at, back, vectors.load(cosines), vectors.load(builder.add(cosines, extent))

    def combined(self, a: Any, b: Any, c: Any, d: Any) -> list[Any]:
        builder = self.builder
        return [builder.fadd(a, c), builder.fsub(b, d), builder.fsub(a, c), builder.fadd(b, d)]

    def emit_half(self, scale: Any) -> None:
        builder, vectors = self.builder, self.vectors
        half = vectors.splat(builder.fmul(scale, vectors.ir.Constant(vectors.element, 0.5)))
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

    def emit_full(self, factor: Any) -> None:
        builder, vectors = self.builder, self.vectors
        by = vectors.splat(factor)
        with self.each_vector() as (at, back, cosine, sine):
            here, there = (builder.add(self.source, builder.mul(x, vectors.number(2))) for x in (at, back))
            real, imaginary, even, odd = self.combined(*read_pairs(vectors, here), *read_pairs(vectors, there, -1))
            real = builder.fsub(real, vectors.fma(even, sine, builder.fmul(odd, cosine)))
            imaginary = vectors.fma(even, cosine, vectors.fma(builder.fneg(odd), sine, imaginary))
            target = builder.add(self.to, at)
            vectors.store(builder.fmul(real, by), target)
            vectors.store(builder.fmul(imaginary, by), builder.add(target, self.plane))
