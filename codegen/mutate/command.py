"""`python -m codegen mutate [OP...]`: changes entries of a spec, one thing at a time, and sees who notices.

A mutant is killed where `validate`, `verify` or the op's example finds something, and survives where none does.
Survivors are listed, those first that are mistakes for sure: with a call that tells them from the entry, which is to
become a sample. Those that no call of some thousands tells apart most likely are other ways to write the same.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..project import Project, add_options
from ..spec.load import load_spec
from ..spec.model import Entry, Spec
from ..verify.checks.bounds import ENVIRONMENT
from ..verify.command import LIMIT, PROCESSES, choose, seconds
from ..verify.isolation import Lost, Progress, Task, answers
from .entries import Mutant, mutants
from .judge import Origin, Verdict, judge, weigh
from .related import Related
from .score import Score, by_kind, kind_of, record, share, total


def mutate_command(options: argparse.Namespace, project: Project) -> int:
    """Mutate the ops of a project, or the named ones; 1 when too few are killed, or an op could not be judged."""
    spec, path = project.spec, project.path
    chosen = choose([entry.name for entry in spec.entries], options.names)
    if chosen is None:
        return 1
    if options.unlike is not None:
        changed = _unlike(spec, path, options.unlike)
        chosen = [name for name in chosen if name in changed]
    entries = spread([entry for entry in spec.entries if entry.name in chosen], options.sample, options.seed)
    begin = time.perf_counter()
    scores = score(entries, Related(path, spec.entries, project.renderer.library.homes), options)
    for each in scores:
        print("\n".join([str(each), *each.lines()]))
    print("\n".join([*by_kind(scores), total(scores, time.perf_counter() - begin)]))
    if options.json:
        options.json.write_text(json.dumps([record(each) for each in scores], indent=1), encoding="utf-8")
    return 1 if any(each.wrong for each in scores) or share(scores) < options.least else 0


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The options of the command."""
    parser = argparse.ArgumentParser(prog="python -m codegen mutate", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="OP", help="an op, with all its overloads, or one overload")
    parser.add_argument("--seed", type=int, default=0, help="what chooses mutants where there are more than --most")
    parser.add_argument("--most", type=int, metavar="N", help="how many mutants an op has at most (default: all)")
    sample, key = "how many ops, from all parts of the spec (default: all)", "only mutants of a key; may be repeated"
    parser.add_argument("--sample", type=int, metavar="N", help=sample)
    parser.add_argument("--key", action="append", metavar="KEY", help=key)
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write what became of each mutant")
    parser.add_argument("--limit", type=seconds, default=LIMIT, metavar="SECONDS", help="how long a mutant may take")
    parser.add_argument("--unlike", type=Path, metavar="SPEC", help="only entries that this other file has not as here")
    least = "fail where a smaller share of what differs for sure is killed"
    parser.add_argument("--least", type=float, default=0, metavar="SHARE", help=least)
    add_options(parser)
    return parser.parse_args(argv)


def spread(entries: Sequence[Entry], most: int | None, seed: int) -> list[Entry]:
    """At most so many entries, at equal distances in the spec; the seed says where they begin."""
    if most is None or most >= len(entries):
        return list(entries)
    distance = len(entries) / most
    return [entries[int((number + seed * 0.381966 % 1) * distance)] for number in range(most)]


def score(entries: Sequence[Entry], related: Related, options: argparse.Namespace) -> list[Score]:
    """The scores of some entries; each mutant has a time limit, and a process may die of it."""
    scores = [Score(entry) for entry in entries]
    asked: list[tuple[Score, Mutant | None]] = []
    for each in scores:
        asked.append((each, None))
        chosen = mutants(each.entry, related, options.seed, options.most)
        asked += [(each, m) for m in chosen if not options.key or kind_of(each.entry, m) in options.key]
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
    if mutant is None:
        score.wrong = answer.how if isinstance(answer, Lost) else answer
    else:
        score.note(mutant, Verdict(found=answer.how) if isinstance(answer, Lost) else answer)


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
