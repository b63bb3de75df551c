"""How the rest of specgrad speaks to a library that computes attention without keeping scores; it may refuse."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

Ints = tuple[int, ...]


class Layout(NamedTuple):
    """How an array of (batch, heads, rows, features) lies; strides are in elements."""

    shape: Ints
    strides: Ints


class Attention(NamedTuple):
    """softmax(scale Q K^T) V of each head of queries; heads of keys and values are as many, or shared by several."""

    stored: np.dtype  # of all operands in memory
    query: Layout
    key: Layout
    value: Layout
    output: Layout
    is_causal: bool  # whether row i sees the keys up to i alone
    scale: float


class AttentionGradients(NamedTuple):
    forward: Attention
    above: Layout  # the gradient of the output
    results: tuple[Layout, Layout, Layout]
    deterministic: bool  # whether equal calls must give equal bits


class Attentions(Protocol):
    """What a library does: each method says whether it computed; if not, it has written nothing.

    Logarithms of the sums of exp(scores) are float32, row after row.
    """

    def attend(self, value: Attention, operands: Ints, results: Ints, stream: int) -> bool:
        """Output and logarithms from query, key and value."""

    def attend_gradients(self, value: AttentionGradients, operands: Ints, results: Ints, stream: int) -> bool:
        """The gradients of query, key and value, from these, output, the gradient of that, and logarithms."""
