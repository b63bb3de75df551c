"""Check: a policy at kinks is said of an op that has a kink, where it makes a difference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...library.bases import SPEC
from ...proof.boundaries import POLICIES
from ...proof.proof import WRONG, Prover
from ...spec.model import Entry
from ..places import entries_of, spec_entry
from ..report import Finding, Report, place_of

NEEDLESS = "no call of the entry meets a kink: give one in `hard`, or leave the key out"


def check_kink(op: Any, report: Report) -> None:
    """Either a gradient has been looked at where the function has two slopes, or algebra tells policies apart.

    It does at small jumps beside which there is another slope, of which differences say nothing.
    """
    entry = spec_entry(op)
    if entry is None or "kink" not in entry.key_places or "kink" in entry.inherited:
        return
    report.checks += 1
    if op.name not in report.kinks and not _is_told_apart(entry, {**entries_of(SPEC), **entries_of(op.spec)}):
        report.add(Finding(place_of(op, "kink"), op.name, "kink", NEEDLESS))


def _is_told_apart(entry: Entry, entries: dict[str, Entry]) -> bool:
    """Whether a formula of an element-wise entry would be wrong with another policy."""
    if entry.compute.kind != "elementwise" or entry.compute.tree is None:
        return False
    prover = Prover(entries)
    others = (replace(entry, kink=(policy,)) for policy in POLICIES)
    return any(verdict.state == WRONG for other in others for verdict in prover.verdicts(other))
