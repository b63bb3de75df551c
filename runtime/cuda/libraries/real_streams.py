"""Streams as NVIDIA's libraries name them."""

from __future__ import annotations

from ..protocol import DEFAULT_STREAMS


def stream_handle(stream: int) -> int:
    """CUDA's handle of a stream: 0 is the default stream of the current context."""
    return 0 if stream < DEFAULT_STREAMS else stream
