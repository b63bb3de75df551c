"""General batching rules, which serve ops of any family: how an op computes all examples of a batch at once.

A rule gets a `Call` and returns the op's result for the whole batch, with the examples in front. Rules of one family
lie in `runtime/ops/<family>/batching.py`. Entries of the spec name them.
"""

from .general import loop

__all__ = ["loop"]
