"""Whose memory a result is: `Tensor(a)` in a schema says that it may be its argument's, elsewhere it is new.

What is written into a new tensor changes no other. Ops that give their input itself for kinds of dtypes, by the key
`identity`, say so there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...spec.model import Entry
from ..places import spec_entry
from ..point import Point
from ..report import Finding, Report, place_of
from ..samples import points


def check_memory(point: Point, report: Report) -> None:
    """No result that the schema calls new lies in an argument's memory."""
    op, entry = point.op, spec_entry(point.op)
    if entry is None or entry.identity:
        return
    report.checks += 1
    for number, shared in enumerate(_shared(point)):
        if shared and not _may_share(entry, number):
            returned = entry.schema.returns[number if len(entry.schema.returns) > 1 else 0]
            text = (
                f"at {point} `{returned.name}` lies in the memory of an argument, where the schema has a new tensor: "
                "copy it, or write Tensor(a) for both"
            )
            report.add(Finding(place_of(op, op.kind), op.name, op.kind, text))
            return


def check_aliases(op: Any, report: Report) -> None:
    """What a schema says to share memory does so at a sample; what writes to its argument is looked at elsewhere."""
    entry = spec_entry(op)
    if entry is None or not any(r.type.alias and not r.type.writes for r in entry.schema.returns):
        return
    report.checks += 1
    if not any(any(_shared(Point(op, text, hard, is_complex))) for text, hard, is_complex in points(op)):
        text = "the schema has Tensor(a) for a result that lies in the memory of an argument at no sample"
        report.add(Finding(str(entry.where), op.name, "name", text))


def _may_share(entry: Entry, number: int) -> bool:
    """Whether the schema lets a result share memory; a list of tensors is one output."""
    returns = entry.schema.returns
    return returns[number if len(returns) > 1 else 0].type.alias is not None


def _shared(point: Point) -> list[bool]:
    """For each tensor that the op gives, whether it lies in the memory of a tensor that it was given."""
    tensors = point.tensors([False] * len(point.leaves))
    given = [t.array for t in (*tensors, *point.constants)]
    found = [output.array for output in point.call(tensors)]
    return [any(np.may_share_memory(output, own) for own in given) for output in found]
