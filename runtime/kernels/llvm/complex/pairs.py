"""Vectors of complex numbers that lie as pairs of parts: inside intrinsics the parts are vectors of their own."""

from __future__ import annotations

from typing import Any

from ..vectors import Vectors

Complex = tuple[Any, Any]


def read_pairs(vectors: Vectors, address: Any, step: int = 1) -> Complex:
    """The parts of complex numbers that lie as pairs; with step -1 in the opposite order."""
    pairs = vectors.load(address), vectors.load(vectors.builder.add(address, vectors.number(vectors.bytes)))
    real, imaginary = (vectors.shuffled(*pairs, range(part, 2 * vectors.lanes, 2)[::step]) for part in (0, 1))
    return real, imaginary


def write_pairs(vectors: Vectors, value: Complex, address: Any) -> None:
    """Complex numbers as pairs."""
    lanes = vectors.lanes
    order = [lane + side * lanes for lane in range(lanes) for side in (0, 1)]
    for k in (0, 1):
        pairs = vectors.shuffled(*value, order[k * lanes : (k + 1) * lanes])
        vectors.store(pairs, vectors.builder.add(address, vectors.number(k * vectors.bytes)))
