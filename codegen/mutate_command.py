"""`python -m codegen mutate [OP...]`: changes entries of a spec, one thing at a time, and sees who notices.

A mutant is killed where `validate`, `verify` or the op's example finds something, and survives where none does.
Survivors are listed: each is a mistake that nobody would have found, or another way to write the same.
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
from .load import load_spec
from .model import Entry, Spec
from .mutate_entries import Mutant, mutants
from .mutate_related import Related
from .project import Project, add_options
from .verify_bounds import ENVIRONMENT
from .verify_command import LIMIT, choose, seconds
from .verify_each import PROCESSES
from .verify_mutant import Origin, judge, weigh


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


def mutate_command(options: argparse.Namespace, project: Project) -> int:
    """Mutate the ops of a project, or the named ones; 1 when too few are killed, or an op could not be judged."""
    spec, path = project.spec, project.path
    chosen = choose([entry.name for entry in spec.entries], options.names)
    if chosen is None:
        return 1
    if options.unlike is not None:
        changed = _unlike(spec, path, options.unlike)
        chosen = [name for name in chosen if name in changed]
    entries = [entry for entry in spec.entries if entry.name in chosen]
    begin = time.perf_counter()
    scores = score(entries, Related(path, spec.entries, project.renderer.library.homes), options)
    for each in scores:
        print("\n".join([str(each), *(f"  {mutant}" for mutant in each.survivors)]))
    print(_total(scores, time.perf_counter() - begin))
    if options.json:
        options.json.write_text(json.dumps([_record(each) for each in scores], indent=1), encoding="utf-8")
    return 1 if any(each.wrong for each in scores) or _share(scores) < options.least else 0


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The options of the command."""
    parser = argparse.ArgumentParser(prog="python -m codegen mutate", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="OP", help="an op, with all its overloads, or one overload")
    parser.add_argument("--seed", type=int, default=0, help="what chooses mutants where there are more than --most")
    parser.add_argument("--most", type=int, metavar="N", help="how many mutants an op has at most (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write what became of each mutant")
    parser.add_argument("--limit", type=seconds, default=LIMIT, metavar="SECONDS", help="how long a mutant may take")
    parser.add_argument("--unlike", type=Path, metavar="SPEC", help="only entries that this other file has not as here")
    parser.add_argument("--least", type=float, default=0, metavar="SHARE", help="fail where a smaller share is killed")
    add_options(parser)
    return parser.parse_args(argv)


def score(entries: Sequence[Entry], related: Related, options: argparse.Namespace) -> list[Score]:
    """What becomes of the mutants of some entries; every mutant has its time, and a process may die of it."""
    scores = [Score(entry) for entry in entries]
    asked: list[tuple[Score, Mutant | None]] = []
    for each in scores:
        asked.append((each, None))
        asked += [(each, mutant) for mutant in mutants(each.entry, related, options.seed, options.most)]
    origin = Origin(options.spec, options.out, options.base)
    tasks: list[Task] = [
        (judge, (origin, each.entry))
        if mutant is None
        else (weigh, (origin, each.entry, mutant.entry, mutant.key, mutant.trees))
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
    killed, same, left = (
        sum(counts)
        for counts in zip(
            *[(e.killed, len(e.equivalent), len(e.survivors)) for e in judged] or [(0, 0, 0)], strict=True
        )
    )
    return (
        f"{len(judged)} ops, {killed + same + left} mutants, {same} equivalent, {killed} killed "
        f"({_share(scores):.1%} of those that differ), {left} survive, {took:.0f} s"
    )


def _share(scores: Sequence[Score]) -> float:
    """How many of the mutants that may differ are killed."""
    judged = [each for each in scores if not each.wrong]
    differ = sum(each.killed + len(each.survivors) for each in judged)
    return sum(each.killed for each in judged) / differ if differ else 1.0


def _unlike(spec: Spec, path: Path, other: Path) -> set[str]:
    """The entries that another spec file does not have in the same words."""
    theirs, _ = load_spec(other)
    before = _texts(theirs, other)
    return {name for name, text in _texts(spec, path).items() if before.get(name) != text}


def _texts(spec: Spec, path: Path) -> dict[str, str]:
    """The lines of each entry, up to the next one's name."""
    lines = path.read_text(encoding="utf-8").splitlines()
    begins = [entry.where.line - 1 for entry in spec.entries]
    ends = [*begins[1:], len(lines)]
    return {
        entry.name: "\n".join(line for line in lines[begin:end] if line.strip() and not line.startswith("#"))
        for entry, begin, end in zip(spec.entries, begins, ends, strict=True)
    }


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
