"""`python -m codegen mutate [OP...]`: changes entries of derivatives.yaml, one thing at a time, and sees who notices.

A mutant is killed where `validate` or `verify` finds something, and survives where neither does. Survivors are listed:
each is a mistake that nobody would have found, or another way to write the same.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .isolation import Lost, Progress, Task, answers
from .model import Entry, Spec
from .mutate_entries import Mutant, mutants
from .mutate_related import Related
from .verify_bounds import ENVIRONMENT
from .verify_command import LIMIT, choose, seconds
from .verify_each import PROCESSES
from .verify_mutant import judge, weigh


@dataclass
class Score:
    """What became of the mutants of an entry."""

    entry: Entry
    wrong: str = ""  # what is wrong with the entry itself: then its mutants say nothing
    killed: int = 0
    equivalent: list[tuple[Mutant, str]] = field(default_factory=list)
    survivors: list[Mutant] = field(default_factory=list)

    @property
    def count(self) -> int:
        return self.killed + len(self.equivalent) + len(self.survivors)

    def __str__(self) -> str:
        if self.wrong:
            return f"{self.entry.name}: cannot be judged: {self.wrong}"
        same = f", {len(self.equivalent)} equivalent" if self.equivalent else ""
        return f"{self.entry.name}: {self.count} mutants, {self.killed} killed{same}, {len(self.survivors)} survive"


def mutate_command(argv: Sequence[str], spec: Spec, path: Path) -> int:
    """Mutate the ops in the tree, or the named ones; 0 whatever survives, 1 when an op could not be judged."""
    options = _parse(argv)
    chosen = choose([entry.name for entry in spec.entries], options.names)
    if chosen is None:
        return 1
    entries = [entry for entry in spec.entries if entry.name in chosen and not _unchanged(entry, options.unlike)]
    begin = time.perf_counter()
    scores = score(entries, Related(path, spec.entries), options)
    for each in scores:
        print("\n".join([str(each), *(f"  {mutant}" for mutant in each.survivors)]))
    print(_total(scores, time.perf_counter() - begin))
    if options.json:
        options.json.write_text(json.dumps([_record(each) for each in scores], indent=1), encoding="utf-8")
    return 1 if any(each.wrong for each in scores) else 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m codegen mutate", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="OP", help="an op, with all its overloads, or one overload")
    parser.add_argument("--seed", type=int, default=0, help="what chooses mutants where there are more than --most")
    parser.add_argument("--most", type=int, metavar="N", help="how many mutants an op has at most (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write what became of each mutant")
    parser.add_argument("--limit", type=seconds, default=LIMIT, metavar="SECONDS", help="how long a mutant may take")
    parser.add_argument("--unlike", type=Path, metavar="SPEC", help="only entries that this other file has not as here")
    return parser.parse_args(argv)


def score(entries: Sequence[Entry], related: Related, options: argparse.Namespace) -> list[Score]:
    """What becomes of the mutants of some entries; every mutant has its time, and a process may die of it."""
    scores = [Score(entry) for entry in entries]
    asked: list[tuple[Score, Mutant | None]] = []
    for each in scores:
        asked.append((each, None))
        asked += [(each, mutant) for mutant in mutants(each.entry, related, options.seed, options.most)]
    tasks: list[Task] = [
        (judge, (each.entry,)) if mutant is None else (weigh, (each.entry, mutant.entry, mutant.trees))
        for each, mutant in asked
    ]
    progress = Progress(len(tasks), "mutants")
    found: dict[int, Any] = {}
    for number, answer in answers(tasks, options.limit, PROCESSES, ENVIRONMENT):
        found[number] = answer
        progress.step()
    progress.end()
    for number, (each, mutant) in enumerate(asked):
        _note(each, mutant, found[number])
    return scores


def _note(score: Score, mutant: Mutant | None, answer: Any) -> None:
    if isinstance(answer, Lost):
        answer = answer.how if mutant is None else (answer.how, "")
    if mutant is None:
        score.wrong = answer
    elif answer[0]:
        score.killed += 1
    elif answer[1]:
        score.equivalent.append((mutant, answer[1]))
    else:
        score.survivors.append(mutant)


def _total(scores: Sequence[Score], took: float) -> str:
    judged = [each for each in scores if not each.wrong]
    killed, same = sum(each.killed for each in judged), sum(len(each.equivalent) for each in judged)
    count = sum(each.count for each in judged)
    share = f", {killed / (count - same):.1%} of those that differ" if count > same else ""
    left = f"{count - same - killed} survive"
    return f"{len(judged)} ops, {count} mutants, {same} equivalent, {killed} killed{share}, {left}, {took:.0f} s"


def _unchanged(entry: Entry, other: Path | None) -> bool:
    """Whether another spec file has an entry of the same text."""
    if other is None:
        return False
    return False


def _record(score: Score) -> dict[str, Any]:
    """A score for other programs."""

    def shown(mutant: Mutant) -> dict[str, str]:
        return {
            "place": str(mutant.where),
            "key": mutant.key,
            "what": mutant.what,
            "before": mutant.before,
            "after": mutant.after,
        }

    return {
        "op": score.entry.name,
        "mutants": score.count,
        "killed": score.killed,
        "wrong": score.wrong,
        "equivalent": [{**shown(mutant), "why": why} for mutant, why in score.equivalent],
        "survivors": [shown(mutant) for mutant in score.survivors],
    }
