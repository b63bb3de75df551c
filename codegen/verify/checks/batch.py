"""Check 7: batches. `vmap` of the op gives what a loop over examples gives; so do its derivatives, in both modes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from specgrad.runtime.batching import vmap

from ..point import Point, adopt
from ..report import Report
from .batch_slopes import check_cotangents, check_gradients, check_mixture, check_tangents
from .batched import EXAMPLES, Batch, choices, cloned, report_difference, stacked

DYNAMIC = "depends on the values"  # what ops say that give results of another shape for each example


def check_batch(point: Point, report: Report) -> None:
    """All tensors in batches, then each alone; afterwards the derivatives."""
    batch = Batch(point)
    if not batch.stacks:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ops without a rule say so
        try:
            for chosen in choices(len(batch.stacks)):
                if batch.writes_to(chosen) or "(a!)" not in point.op.schema:  # what is written to must be in the batch
                    check_values(batch, chosen, report)
        except RuntimeError as error:
            if DYNAMIC not in str(error):
                raise
            return
        if point.leaves and point.outputs(point.tensors()):
            check_gradients(batch, report)
            check_cotangents(point, report)
            check_tangents(point, report)
            check_mixture(batch, report)


def check_values(batch: Batch, chosen: Sequence[bool], report: Report) -> None:
    """The outputs, and those of the in-place variant where its tensor is in the batch."""
    functions = [None, batch.point.op.inplace] if batch.writes_to(chosen) and batch.point.op.inplace else [None]
    dims = tuple(0 if yes else None for yes in chosen)
    given = [adopt(s if yes else s[0].copy()) for s, yes in zip(batch.stacks, chosen, strict=True)]
    for function in functions:
        try:
            right = stacked([batch.call(cloned(batch.example(chosen, i)), function) for i in range(EXAMPLES)])
        except RuntimeError:
            if function is None:
                raise
            continue  # the result does not fit into the tensor: the plain call has been checked
        report.checks += 1
        found = vmap(written(batch, function), dims)(*given)
        names = [*(leaf.label for leaf in batch.point.leaves), *["a mask or index"] * len(batch.constants)]
        about = " and ".join(n for n, yes in zip(names, chosen, strict=True) if yes)
        report_difference(batch.point, f"{'in-place ' if function else ''}batch of {about}", found, right, report)


def written(batch: Batch, function: Any) -> Callable[..., Any]:
    """The op as a function of its tensors alone."""
    return lambda *tensors: batch.call(cloned(tensors), function)
