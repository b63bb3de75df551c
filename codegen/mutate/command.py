"""`python -m codegen mutate [OP...]`: changes entries of a spec, one thing at a time, and sees who notices.

A mutant is killed where `validate`, `verify` or the op's example finds something, and survives where none does.
Survivors are listed, those first that are mistakes for sure: with a call that tells them from the entry, which is to
become a sample. Those that no call of some thousands tells apart most likely are other ways to write the same.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..project.progress import Progress, counted
from ..project.project import Project, add_options
from ..proof.derive import load_spec
from ..spec.model import Entry, Spec
from ..spec.reference import statements
from ..verify.checks.bounds import ENVIRONMENT
from ..verify.command import LIMIT, PROCESSES, choose, seconds
from ..verify.isolation import Lost, Task, Worker, answers, end_all
from .evaluate_mutant import Origin, Verdict, evaluate_mutant, weigh
from .mutants import Mutant, Related, mutants

COMMAND = __package__.rpartition(".")[0]


def mutate_command(options: argparse.Namespace, project: Project) -> int:
    spec, path = project.spec, project.path
    chosen = choose([entry.name for entry in spec.written], options.names)
    if chosen is None:
        return 1
    if options.unlike is not None:
        before, now = _sources(load_spec(options.unlike)[0], options.unlike), _sources(spec, path)
        chosen = [name for name in chosen if before.get(name) != now[name]]
    entries = sample_evenly([entry for entry in spec.written if entry.name in chosen], options.sample, options.seed)
    begin = time.perf_counter()
    scores = score(entries, Related(spec.entries, project.renderer.library.op_libraries), options)
    for each in scores:
        print("\n".join([str(each), *each.lines()]))
    print("\n".join([*by_kind(scores), total(scores, time.perf_counter() - begin)]))
    if options.json:
        options.json.write_text(json.dumps([record(each) for each in scores], indent=1), encoding="utf-8")
    refused = any(each.wrong and not each.entry.unverified for each in scores)
    return 1 if refused or share(scores) < options.min_killed else 0


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m {COMMAND} mutate", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="OP", help="an op, with all its overloads, or one overload")
    seed = "what chooses mutants where there are more than --max-count"
    parser.add_argument("--seed", type=int, default=0, help=seed)
    parser.add_argument("--max-count", type=int, metavar="N", help="how many mutants an op has at most (default: all)")
    sample, key = "how many ops, from all parts of the spec (default: all)", "only mutants of a key; may be repeated"
    parser.add_argument("--sample", type=int, metavar="N", help=sample)
    parser.add_argument("--key", action="append", metavar="KEY", help=key)
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write what became of each mutant")
    parser.add_argument("--limit", type=seconds, default=LIMIT, metavar="SECONDS", help="how long a mutant may take")
    parser.add_argument("--unlike", type=Path, metavar="SPEC", help="only entries that this other file has not as here")
    min_killed = "fail where a smaller share of what differs for sure is killed"
    parser.add_argument("--min-killed", type=float, default=0, metavar="SHARE", help=min_killed)
    add_options(parser)
    return parser.parse_args(argv)


def sample_evenly(entries: Sequence[Entry], max_count: int | None, seed: int) -> list[Entry]:
    if max_count is None or max_count >= len(entries):
        return list(entries)
    distance = len(entries) / max_count
    return [entries[int((number + seed * 0.381966 % 1) * distance)] for number in range(max_count)]


def score(entries: Sequence[Entry], related: Related, options: argparse.Namespace) -> "list[Score]":
    """The entries themselves first: what is wrong with one its mutants would show too."""
    scores = [Score(entry, entry.unverified and f"it is not verified, because {entry.unverified}") for entry in entries]
    origin, spare = Origin(options.spec, options.out, options.base), list[Worker]()
    try:
        judged = [each for each in scores if not each.wrong]
        tasks: list[Task] = [(evaluate_mutant, (origin, each.entry)) for each in judged]
        for number, answer in _answered(tasks, options, spare, "entries"):
            judged[number].wrong = str(answer)
        pairs = [(each, m) for each in judged if not each.wrong for m in _chosen(each.entry, related, options)]
        tasks = [(weigh, (origin, each.entry, m.entry, m.key, m.trees)) for each, m in pairs]
        answered = sorted(_answered(tasks, options, spare, "mutants"), key=lambda pair: pair[0])
    finally:
        end_all(spare)
    for (each, mutant), (_, answer) in zip(pairs, answered, strict=True):
        each.note(mutant, Verdict(finding=str(answer)) if isinstance(answer, Lost) else answer)
    return scores


def _chosen(entry: Entry, related: Related, options: argparse.Namespace) -> Iterator[Mutant]:
    made = mutants(entry, related, options.seed, options.max_count)
    return (mutant for mutant in made if not options.key or kind_of(entry, mutant) in options.key)


def _answered(
    tasks: list[Task], options: argparse.Namespace, spare: list[Worker], what: str
) -> Iterator[tuple[int, Any]]:
    with Progress(len(tasks), what) as progress:
        for pair in answers(tasks, options.limit, PROCESSES, ENVIRONMENT, spare):
            yield pair
            progress.step()


def _sources(spec: Spec, path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    begins = [entry.where.line - 1 for entry in spec.written]
    results = {}
    for entry, begin, end in zip(spec.written, begins, [*begins[1:], len(lines)], strict=True):
        own = [line for line in lines[begin:end] if line.strip() and not line.startswith("#")]
        calls = [*entry.samples, *entry.hard, *(refusal.call for refusal in entry.refuses)]
        errors = [refusal.error for refusal in entry.refuses]
        rest = (errors, entry.gives, entry.domain, entry.unvaried, entry.complex, statements(entry.reference))
        results[entry.name] = "\n".join([*own, *(call.text for call in calls), *map(str, rest)])
    return results


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

    @property
    def reason(self) -> str:
        return self.wrong if self.entry.unverified else f"the entry itself is refused: {self.wrong}"

    def note(self, mutant: Mutant, verdict: Verdict) -> None:
        if verdict.finding:
            self.killed.append((mutant, verdict.finding))
        elif verdict.equal:
            self.equivalent.append((mutant, verdict.equal))
        elif verdict.call:
            self.unlike.append((mutant, verdict.call))
        else:
            self.alike.append((mutant, verdict.calls))

    def lines(self) -> Iterator[str]:
        yield from (f"  {mutant}: told apart by {call}" for mutant, call in self.unlike)
        yield from (f"  {mutant}: not told apart by {count} calls" for mutant, count in self.alike)

    def __str__(self) -> str:
        if self.wrong:
            return f"{self.entry.name}: no mutants are made of it, as {self.reason}"
        same = f", {len(self.equivalent)} equivalent" if self.equivalent else ""
        killed = f"{len(self.killed)} killed{same}"
        return f"{self.entry.name}: {self.count} mutants, {killed}, {len(self.survivors)} survive"


def total(scores: Sequence[Score], took: float) -> str:
    judged = [each for each in scores if not each.wrong]
    parts = ("killed", "equivalent", "unlike", "alike")
    killed, same, unlike, alike = (sum(len(getattr(each, part)) for each in judged) for part in parts)
    return (
        f"{counted(len(judged), 'op')}, {killed + same + unlike + alike} mutants, {same} equivalent, {killed} killed "
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
    if mutant.key in {a.name for a in entry.schema.arguments}:
        return "gradients"
    return "tangents" if mutant.key in {output.name for output in entry.schema.returns} else mutant.key


def record(score: Score) -> dict[str, Any]:
    def shown(mutant: Mutant) -> dict[str, str]:
        location, kind = str(mutant.where), kind_of(score.entry, mutant)
        phrases = {name: getattr(mutant, name) for name in ("what", "before", "after")}
        return {"location": location, "key": mutant.key, "kind": kind, **phrases}

    return {
        "op": score.entry.name,
        "mutants": score.count,
        "killed": [{**shown(mutant), "found": result} for mutant, result in score.killed],
        "wrong": score.wrong,
        "equivalent": [{**shown(mutant), "why": why} for mutant, why in score.equivalent],
        "survivors": [
            *({**shown(mutant), "told apart by": call} for mutant, call in score.unlike),
            *({**shown(mutant), "not told apart by": f"{count} calls"} for mutant, count in score.alike),
        ],
    }
