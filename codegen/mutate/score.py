"""Mutation scores: how many mutants of some entries were killed, as lines of text and as records for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..spec.model import Entry
from .entries import Mutant
from .judge import Verdict


@dataclass
class Score:
    """The mutants of an entry: killed, equivalent, or surviving."""

    entry: Entry
    wrong: str = ""  # what is wrong with the entry itself: then its mutants say nothing
    killed: list[tuple[Mutant, str]] = field(default_factory=list)
    equivalent: list[tuple[Mutant, str]] = field(default_factory=list)  # and why
    unlike: list[tuple[Mutant, str]] = field(default_factory=list)  # survivors, and a call that shows the mistake
    alike: list[tuple[Mutant, int]] = field(default_factory=list)  # survivors that so many calls do not tell apart

    @property
    def survivors(self) -> list[Mutant]:
        return [mutant for mutant, _ in (*self.unlike, *self.alike)]

    @property
    def count(self) -> int:
        return len(self.killed) + len(self.equivalent) + len(self.survivors)

    def note(self, mutant: Mutant, verdict: Verdict) -> None:
        """Keep what became of a mutant."""
        if verdict.found:
            self.killed.append((mutant, verdict.found))
        elif verdict.equal:
            self.equivalent.append((mutant, verdict.equal))
        elif verdict.call:
            self.unlike.append((mutant, verdict.call))
        else:
            self.alike.append((mutant, verdict.calls))

    def lines(self) -> Iterator[str]:
        """The survivors, those first that a call shows to be wrong."""
        yield from (f"  {mutant}: told apart by {call}" for mutant, call in self.unlike)
        yield from (f"  {mutant}: not told apart by {count} calls" for mutant, count in self.alike)

    def __str__(self) -> str:
        if self.wrong:
            return f"{self.entry.name}: cannot be judged: {self.wrong}"
        same = f", {len(self.equivalent)} equivalent" if self.equivalent else ""
        killed = f"{len(self.killed)} killed{same}"
        return f"{self.entry.name}: {self.count} mutants, {killed}, {len(self.survivors)} survive"


def total(scores: Sequence[Score], took: float) -> str:
    """All in one line: of the survivors, those alone are surely mistakes that a call shows to be some."""
    judged = [each for each in scores if not each.wrong]
    killed, same, unlike, alike = (
        sum(len(part) for part in parts)
        for parts in zip(*[(e.killed, e.equivalent, e.unlike, e.alike) for e in judged] or [([],) * 4], strict=True)
    )
    return (
        f"{len(judged)} ops, {killed + same + unlike + alike} mutants, {same} equivalent, {killed} killed "
        f"({percent(killed, unlike + alike)} of those that differ), {unlike + alike} survive: "
        f"{alike} that no call tells apart, {unlike} that one does ({percent(killed, unlike)} killed), {took:.0f} s"
    )


def percent(killed: int, left: int) -> str:
    return f"{killed / (killed + left):.1%}" if killed + left else "none"


def share(scores: Sequence[Score]) -> float:
    """The mutation score: the share that is killed of the mutants that are surely mistakes."""
    judged = [each for each in scores if not each.wrong]
    differ = sum(len(each.killed) + len(each.unlike) for each in judged)
    return sum(len(each.killed) for each in judged) / differ if differ else 1.0


def by_kind(scores: Sequence[Score]) -> Iterator[str]:
    """The figures for each key, and for formulas of gradients and of tangents."""
    counts = {part: Counter[str]() for part in ("killed", "equivalent", "unlike", "alike")}
    for each in scores:
        for part, count in counts.items():
            count.update(kind_of(each.entry, mutant) for mutant, _ in getattr(each, part))
    for kind in sorted(set().union(*counts.values())):
        killed, same, unlike, alike = (count[kind] for count in counts.values())
        yield (
            f"  {kind}: {killed} of {killed + unlike + alike} killed, {same} equivalent, {alike} alike: "
            f"{percent(killed, unlike + alike)}, {percent(killed, unlike)} of those that a call tells apart"
        )


def kind_of(entry: Entry, mutant: Mutant) -> str:
    """The key that a mutant is changed in; of those named after arguments and outputs what they hold."""
    if mutant.key in {a.name for a in entry.schema.arguments}:
        return "gradients"
    return "tangents" if mutant.key in {output.name for output in entry.schema.returns} else mutant.key


def record(score: Score) -> dict[str, Any]:
    """A score for other programs."""

    def shown(mutant: Mutant) -> dict[str, str]:
        place, kind = str(mutant.where), kind_of(score.entry, mutant)
        words = {name: getattr(mutant, name) for name in ("what", "before", "after")}
        return {"place": place, "key": mutant.key, "kind": kind, **words}

    return {
        "op": score.entry.name,
        "mutants": score.count,
        "killed": [{**shown(mutant), "found": found} for mutant, found in score.killed],
        "wrong": score.wrong,
        "equivalent": [{**shown(mutant), "why": why} for mutant, why in score.equivalent],
        "survivors": [
            *({**shown(mutant), "told apart by": call} for mutant, call in score.unlike),
            *({**shown(mutant), "not told apart by": f"{count} calls"} for mutant, count in score.alike),
        ],
    }
