"""What became of the mutants of some entries: figures for people, and a record for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .model import Entry
from .mutate_entries import Mutant


@dataclass
class Score:
    """What became of the mutants of an entry."""

    entry: Entry
    wrong: str = ""  # what is wrong with the entry itself: then its mutants say nothing
    killed: list[tuple[Mutant, str]] = field(default_factory=list)
    equivalent: list[tuple[Mutant, str]] = field(default_factory=list)
    survivors: list[Mutant] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.killed) + len(self.equivalent) + len(self.survivors)

    def __str__(self) -> str:
        if self.wrong:
            return f"{self.entry.name}: cannot be judged: {self.wrong}"
        same = f", {len(self.equivalent)} equivalent" if self.equivalent else ""
        return (
            f"{self.entry.name}: {self.count} mutants, {len(self.killed)} killed{same}, {len(self.survivors)} survive"
        )


def total(scores: Sequence[Score], took: float) -> str:
    judged = [each for each in scores if not each.wrong]
    killed, same, left = (
        sum(counts)
        for counts in zip(
            *[(len(e.killed), len(e.equivalent), len(e.survivors)) for e in judged] or [(0, 0, 0)], strict=True
        )
    )
    return (
        f"{len(judged)} ops, {killed + same + left} mutants, {same} equivalent, {killed} killed "
        f"({share(scores):.1%} of those that differ), {left} survive, {took:.0f} s"
    )


def share(scores: Sequence[Score]) -> float:
    """How many of the mutants that may differ are killed."""
    judged = [each for each in scores if not each.wrong]
    differ = sum(len(each.killed) + len(each.survivors) for each in judged)
    return sum(len(each.killed) for each in judged) / differ if differ else 1.0


def by_kind(scores: Sequence[Score]) -> Iterator[str]:
    """The figures for each key, and for formulas of gradients and of tangents."""
    killed, left, same = Counter[str](), Counter[str](), Counter[str]()
    for each in scores:
        killed.update(kind_of(each.entry, mutant) for mutant, _ in each.killed)
        same.update(kind_of(each.entry, mutant) for mutant, _ in each.equivalent)
        left.update(kind_of(each.entry, mutant) for mutant in each.survivors)
    for kind in sorted({*killed, *left, *same}):
        differ = killed[kind] + left[kind]
        share = f"{killed[kind] / differ:.1%}" if differ else "none differ"
        yield f"  {kind}: {killed[kind]} of {differ} killed, {same[kind]} equivalent: {share}"


def kind_of(entry: Entry, mutant: Mutant) -> str:
    """The key that a mutant is changed in; of those named after arguments and outputs what they hold."""
    if mutant.key in {a.name for a in entry.schema.arguments}:
        return "gradients"
    return "tangents" if mutant.key in {output.name for output in entry.schema.returns} else mutant.key


def record(score: Score) -> dict[str, Any]:
    """A score for other programs."""

    def shown(mutant: Mutant) -> dict[str, str]:
        return {
            "place": str(mutant.where),
            "key": mutant.key,
            "kind": kind_of(score.entry, mutant),
            "what": mutant.what,
            "before": mutant.before,
            "after": mutant.after,
        }

    return {
        "op": score.entry.name,
        "mutants": score.count,
        "killed": [{**shown(mutant), "found": found} for mutant, found in score.killed],
        "wrong": score.wrong,
        "equivalent": [{**shown(mutant), "why": why} for mutant, why in score.equivalent],
        "survivors": [shown(mutant) for mutant in score.survivors],
    }
