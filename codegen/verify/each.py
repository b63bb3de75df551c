"""The checks of one op after the other, each apart from the rest: what ends a process is a finding about its op."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from .checks.bounds import ENVIRONMENT as BOUNDS
from .isolation import Lost, Progress, Task, answers
from .processes import Known, Package, check_op, check_op_bounds, simulate_op
from .report import Finding, Report

PROCESSES = min(2, os.cpu_count() or 1)


class Round(NamedTuple):
    """One check of all ops: what runs it, in how many processes at once, and their environment."""

    check: Callable[[Package, str], Report]
    processes: int
    environment: Mapping[str, str]


# Bounds come first: what does not keep to its arrays is not run by kernels that do not look. CUDA kernels come last,
# when the CPU kernels are cached.
ROUNDS = (
    Round(check_op_bounds, PROCESSES, BOUNDS),
    Round(check_op, PROCESSES, {}),
    Round(simulate_op, 1, {"NUMBA_ENABLE_CUDASIM": "1"}),
)


def checked(package: Package, ops: Mapping[str, Known], limit: float) -> Report:
    """The joint report on some ops of a package; `limit` is in seconds, for each op and check."""
    total, left = Report(), dict(ops)
    progress = Progress(sum(len(concerned(each, ops)) for each in ROUNDS), "checks")
    for each in ROUNDS:
        for name, (report, goes_on) in one_round(each, package, concerned(each, left), limit, progress).items():
            total.join(report)
            if not goes_on or (each.check is check_op_bounds and report.findings):
                del left[name]
    progress.end()
    return total


def concerned(each: Round, ops: Mapping[str, Known]) -> dict[str, str]:
    """The ops that a check is made for, and where their entries stand."""
    return {name: known.place for name, known in ops.items() if known.by_hand or each.check is not check_op_bounds}


def one_round(
    each: Round, package: Package, places: Mapping[str, str], limit: float, progress: Progress
) -> dict[str, tuple[Report, bool]]:
    """(report, whether there is more to check) for each op, in the order of the spec."""
    tasks: list[Task] = [(each.check, (package, name)) for name in places]
    found: list[Report | Lost] = [Report()] * len(tasks)
    for number, answer in answers(tasks, limit, each.processes, each.environment):
        found[number] = answer
        progress.step()
    pairs = zip(places.items(), tasks, found, strict=True)
    return {name: judged(name, place, task, answer, limit, each) for (name, place), task, answer in pairs}


def judged(name: str, place: str, task: Task, answer: Report | Lost, limit: float, each: Round) -> tuple[Report, bool]:
    """The report on an op, be it that its process was lost, and whether there is more to check.

    A process that died is tried again with this op alone: an op before it may have spoilt the memory of both.
    """
    if isinstance(answer, Report):
        return answer, True
    alone = next(again for _, again in answers([task], limit, 1, each.environment)) if answer.died else answer
    if isinstance(alone, Lost):
        return lost(name, place, f"verifying it {alone.how}"), False
    alone.join(
        lost(
            name,
            place,
            f"verifying it after other ops {answer.how}; by itself it does not: one of them writes where it should not",
        )
    )
    return alone, True


def lost(name: str, place: str, text: str) -> Report:
    report = Report()
    report.add(Finding(place, name, "", text))
    return report
