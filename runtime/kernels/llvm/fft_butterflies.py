"""One pass of a Fourier transform: butterflies over vectors of numbers, in planes of real and of imaginary parts. A
pass of radix r takes rows of r m s numbers, x[k][p][q], to y[p][j][q] = w^(p j) sum_k exp(-2 pi i j k / r) x[k][p][q],
w = exp(-2 pi i / (r m)); after passes whose radices multiply to the length of a row, it is in order (Stockham). Lanes
of vectors are neighbours in (p, q)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .intrinsics import emitted
from .vectors import Vectors

Complex = tuple[Any, Any]


def read_pairs(vectors: Vectors, address: Any, step: int = 1) -> Complex:
    """The parts of complex numbers that lie as pairs; with step -1 in the opposite order."""
    pairs = vectors.load(address), vectors.load(vectors.builder.add(address, vectors.number(vectors.bytes)))
    real, imaginary = (vectors.shuffled(*pairs, range(part, 2 * vectors.lanes, 2)[::step]) for part in (0, 1))
    return real, imaginary


def write_pairs(vectors: Vectors, value: Complex, address: Any) -> None:
    lanes = vectors.lanes
    order = [lane + side * lanes for lane in range(lanes) for side in (0, 1)]
    for k in (0, 1):
        pairs = vectors.shuffled(*value, order[k * lanes : (k + 1) * lanes])
        vectors.store(pairs, vectors.builder.add(address, vectors.number(k * vectors.bytes)))


RADICES = (2, 3, 4, 5, 7, 8)
WIDEST = max(RADICES)
PRIMES = (11, 13)  # wider ones, of passes that lie apart
NARROW = ((4, 1), (8, 1), (4, 4), (8, 4), (8, 8))  # radix and s, where q alone fills no vector


PASS = "radix source to plane count m s factors inverse"


class _Pass:
    """transform_pass(...): of `count` rows at addresses. Imaginary parts lie `plane` bytes behind real ones. Where s is
    a multiple of the lanes, the powers of w lie as [p][j - 1][part], else as [j - 1][part][p][q]."""

    narrow_kinds: Sequence[tuple[int, int]] = NARROW

    def __init__(self, vectors: Vectors, *args: Any) -> None:
        self.vectors, self.builder, self.number = vectors, vectors.builder, vectors.number
        self.radix, self.source, self.to, self.plane, self.count, self.m, self.s, self.factors = args[:8]
        self.inverse = self.builder.icmp_signed("!=", args[8], self.number(0))
        self.line = args[9] if len(args) > 9 else None

    def emit(self) -> None:
        builder, lanes = self.builder, self.vectors.lanes
        with builder.if_else(builder.icmp_signed(">=", self.s, self.number(lanes))) as (wide, narrow):
            with wide:
                self.each_radix(RADICES, self.wide)
            with narrow:
                for radix, s in self.narrow_kinds:
                    if s < lanes:
                        both = builder.and_(self.equal(self.radix, radix), self.equal(self.s, s))
                        with builder.if_then(both):
                            self.rows(radix, lambda r, x, y, s=s: self.narrow(r, x, y, s))

    def each_radix(self, radices: Sequence[int], body: Any) -> None:
        for radix in radices:
            with self.builder.if_then(self.equal(self.radix, radix)):
                self.rows(radix, body)

    def rows(self, radix: int, body: Any) -> None:
        step = self.bytes_of(self.times(self.builder.mul(self.m, self.s), radix))
        with self.loop(self.count) as row:
            distance = self.builder.mul(row, step)
            source, to = self.row_distances(distance)
            body(radix, self.builder.add(self.source, source), self.builder.add(self.to, to))

    def row_distances(self, distance: Any) -> tuple[Any, Any]:
        return distance, distance

    def wide(self, radix: int, source: Any, to: Any) -> None:
        """One row whose neighbours differ in q alone; nothing is multiplied where p has but one value."""
        with self.builder.if_else(self.equal(self.m, 1)) as (single, multi_pass):
            with single:
                self.wide_group(radix, source, to, [])
            with multi_pass, self.loop(self.m) as p:
                self.wide_step(radix, source, to, p)

    def wide_step(self, radix: int, source: Any, to: Any, p: Any) -> None:
        builder = self.builder
        at = builder.add(self.factors, self.bytes_of(self.times(p, 2 * (radix - 1))))
        offsets = [self.plus(at, i * self.vectors.size) for i in range(2 * (radix - 1))]
        parts = [self.vectors.splat(self.vectors.scalar(offset)) for offset in offsets]
        begin = self.bytes_of(builder.mul(p, self.s))
        from_here = builder.add(source, begin if self.line is None else builder.mul(p, self.line))
        target = builder.add(to, self.times(begin, radix))
        self.wide_group(radix, from_here, target, list(zip(parts[::2], parts[1::2], strict=True)))

    def wide_group(self, radix: int, source: Any, to: Any, factors: Sequence[Complex]) -> None:
        builder, line = self.builder, self.bytes_of(self.s)
        distances = self.distances(self.leg_of(self.m), radix)
        with self.loop(builder.sdiv(self.s, self.number(self.vectors.lanes))) as q:
            at = self.times(q, self.vectors.bytes)
            results = self.butterfly(self.legs(builder.add(source, self.read_at(at)), distances))
            target = builder.add(to, at)
            for j, value in enumerate(self.multiplied(results, factors)):
                self.put(value, builder.add(target, self.times(line, j)))

    def narrow(self, radix: int, source: Any, to: Any, s: int) -> None:
        """One row whose vectors hold several p: results are shuffled into their order."""
        builder, vectors = self.builder, self.vectors
        length = self.times(self.m, s)
        leg = self.bytes_of(length)
        distances = self.distances(self.read_at(leg), radix)
        with self.loop(builder.sdiv(length, self.number(vectors.lanes))) as t:
            at = self.times(t, vectors.bytes)
            factor = builder.add(self.factors, at)
            offsets = [builder.add(factor, self.times(leg, i)) for i in range(2 * (radix - 1))]
            parts = [vectors.load(offset) for offset in offsets]
            factors = list(zip(parts[::2], parts[1::2], strict=True))
            legs = self.legs(builder.add(source, self.read_at(at)), distances)
            results = self.multiplied(self.butterfly(legs), factors)
            target = builder.add(to, self.times(at, radix))
            real, imaginary = (self.interleaved([value[part] for value in results], s) for part in (0, 1))
            for j, value in enumerate(zip(real, imaginary, strict=True)):
                self.put(value, self.plus(target, j * vectors.bytes))

    def interleaved(self, values: Sequence[Any], s: int) -> list[Any]:
        if len(values) == 1:
            return list(values)
        lanes = self.vectors.lanes
        blocks = [range(start, start + s) for start in range(0, lanes, s)]
        order = [lane + side * lanes for block in blocks for side in (0, 1) for lane in block]
        pairs = zip(self.interleaved(values[::2], s), self.interleaved(values[1::2], s), strict=True)
        return [self.vectors.shuffled(a, b, half) for a, b in pairs for half in (order[:lanes], order[lanes:])]

    # Arithmetic of complex vectors

    def butterfly(self, x: Sequence[Complex]) -> list[Complex]:
        if len(x) == 1:
            return list(x)
        if len(x) % 2:
            return self.odd_butterfly(x)
        even, odd = self.butterfly(x[::2]), self.butterfly(x[1::2])
        twiddled = [self.twiddled(value, j, len(x)) for j, value in enumerate(odd)]
        pairs = list(zip(even, twiddled, strict=True))
        return [self.sum(a, b) for a, b in pairs] + [self.difference(a, b) for a, b in pairs]

    def twiddled(self, x: Complex, j: int, n: int) -> Complex:
        real, imaginary = x
        eighths = 8 * j // n
        if eighths >= 2:  # -i x
            real, imaginary = imaginary, self.builder.fneg(real)
        if eighths % 2 == 0:
            return real, imaginary
        half = self.constant(math.sqrt(0.5))
        added, less = self.builder.fadd(real, imaginary), self.builder.fsub(imaginary, real)
        return self.builder.fmul(added, half), self.builder.fmul(less, half)

    def odd_butterfly(self, x: Sequence[Complex]) -> list[Complex]:
        """Of a prime r: numbers at equal distances from both ends meet the same cosine, and opposite sines."""
        r, builder = len(x), self.builder
        half = range(1, (r + 1) // 2)
        sums = {k: self.sum(x[k], x[r - k]) for k in half}
        differences = {k: self.difference(x[k], x[r - k]) for k in half}
        results = {0: x[0]}
        for k in half:
            results[0] = self.sum(results[0], sums[k])
        for j in half:
            even, odd = x[0], (self.vectors.zero, self.vectors.zero)
            for k in half:
                angle = 2 * math.pi * (j * k % r) / r
                even = self.plus_times(even, sums[k], math.cos(angle))
                odd = self.plus_times(odd, differences[k], math.sin(angle))
            results[j] = builder.fadd(even[0], odd[1]), builder.fsub(even[1], odd[0])
            results[r - j] = builder.fsub(even[0], odd[1]), builder.fadd(even[1], odd[0])
        return [results[j] for j in range(r)]

    def multiplied(self, values: Sequence[Complex], factors: Sequence[Complex]) -> list[Complex]:
        first, *others = values
        return [first, *map(self.product, others, factors)] if factors else list(values)

    def product(self, x: Complex, w: Complex) -> Complex:
        builder, fma = self.builder, self.vectors.fma
        real = fma(x[0], w[0], builder.fneg(builder.fmul(x[1], w[1])))
        return real, fma(x[0], w[1], builder.fmul(x[1], w[0]))

    def sum(self, a: Complex, b: Complex) -> Complex:
        return self.builder.fadd(a[0], b[0]), self.builder.fadd(a[1], b[1])

    def difference(self, a: Complex, b: Complex) -> Complex:
        return self.builder.fsub(a[0], b[0]), self.builder.fsub(a[1], b[1])

    def plus_times(self, a: Complex, b: Complex, factor: float) -> Complex:
        by = self.constant(factor)
        return self.vectors.fma(b[0], by, a[0]), self.vectors.fma(b[1], by, a[1])

    def constant(self, value: float) -> Any:
        return self.vectors.ir.Constant(self.vectors.type, [value] * self.vectors.lanes)

    # Memory

    def leg_of(self, m: Any) -> Any:
        """How far the numbers of one k lie from those of the one before."""
        return self.bytes_of(self.builder.mul(m, self.s))

    def read_at(self, distance: Any) -> Any:
        return distance

    def distances(self, leg: Any, radix: int) -> list[Any]:
        """Of what a butterfly takes: with exp(2 pi i ...) in the opposite order, but for the first."""
        builder, zero = self.builder, self.number(0)
        twiddled = [builder.select(self.inverse, self.number(radix - k), self.number(k)) for k in range(1, radix)]
        return [zero, *[builder.mul(leg, offset) for offset in twiddled]]

    def legs(self, address: Any, distances: Sequence[Any]) -> list[Complex]:
        return [self.read(self.builder.add(address, distance)) for distance in distances]

    def read(self, address: Any) -> Complex:
        return self.vectors.load(address), self.vectors.load(self.builder.add(address, self.plane))

    def put(self, value: Complex, address: Any) -> None:
        self.vectors.store(value[0], address)
        self.vectors.store(value[1], self.builder.add(address, self.plane))

    @contextmanager
    def loop(self, count: Any) -> Iterator[Any]:
        from numba.core import cgutils

        with cgutils.for_range(self.builder, count) as loop:
            yield loop.index

    def equal(self, x: Any, value: int) -> Any:
        return self.builder.icmp_signed("==", x, self.number(value))

    def plus(self, x: Any, value: int) -> Any:
        return self.builder.add(x, self.number(value))

    def times(self, x: Any, value: int) -> Any:
        return self.builder.mul(x, self.number(value))

    def bytes_of(self, count: Any) -> Any:
        return self.times(count, self.vectors.size)


class _PrimePass(_Pass):
    """prime_pass(like, radix, ...): transform_pass of one of PRIMES; s is a multiple of the lanes."""

    def emit(self) -> None:
        self.each_radix(PRIMES, self.wide)


class _FirstPass(_Pass):
    """first_pass(..., line): of numbers that lie as pairs, `line` bytes from one p to the next."""

    narrow_kinds = NARROW[:2]

    def row_distances(self, distance: Any) -> tuple[Any, Any]:
        return self.times(distance, 2), distance

    def leg_of(self, m: Any) -> Any:
        return self.builder.mul(m, self.line)

    def read_at(self, distance: Any) -> Any:
        return self.times(distance, 2)

    def read(self, address: Any) -> Complex:
        return read_pairs(self.vectors, address)

    def wide(self, radix: int, source: Any, to: Any) -> None:
        with self.loop(self.m) as p:
            self.wide_step(radix, source, to, p)


class _LastPass(_Pass):
    """last_pass(like, radix, source, to, plane, count, outer, s, scale, inverse, line): to numbers that lie as pairs: m
    is 1, and q stands for `outer` by s numbers, a multiple of the lanes, `line` bytes from one to the next."""

    def emit(self) -> None:
        self.factor = self.vectors.splat(self.factors)
        self.each_radix(RADICES, self.outer)

    def row_distances(self, distance: Any) -> tuple[Any, Any]:
        return distance, self.times(distance, 2)

    def outer(self, radix: int, source: Any, to: Any) -> None:
        builder, vectors = self.builder, self.vectors
        distances = self.distances(self.leg_of(self.m), radix)
        with self.loop(self.m) as i, self.loop(builder.sdiv(self.s, self.number(vectors.lanes))) as q:
            at = self.times(q, vectors.bytes)
            here = builder.add(self.bytes_of(builder.mul(i, self.s)), at)
            results = self.butterfly(self.legs(builder.add(source, here), distances))
            for j, value in enumerate(results):
                offset = builder.add(self.times(self.m, j), i)
                self.put(value, builder.add(builder.add(to, builder.mul(offset, self.line)), self.times(at, 2)))

    def put(self, value: Complex, address: Any) -> None:
        real, imaginary = (self.builder.fmul(part, self.factor) for part in value)
        write_pairs(self.vectors, (real, imaginary), address)


transform_pass = emitted("transform_pass", _Pass, PASS)
first_pass = emitted("first_pass", _FirstPass, f"{PASS} line")
last_pass = emitted("last_pass", _LastPass, "radix source to plane count outer s scale inverse line", "scale")
# A function by itself: in the registers of other passes it has no place.
prime_pass = emitted("prime_pass", _PrimePass, PASS, inlined=False)
