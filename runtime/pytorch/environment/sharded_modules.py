"""`distributed.tensor.experimental`: regions for tensors that lie on several processes, of which there are none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def implicit_replication() -> Iterator[None]:
    """A region in which tensors beside those of several processes count as copies in all of these: there are none."""
    yield
