"""`python -m codegen verify [OP...]`: runs the checks over a generated package in fresh processes and reports.

Each op is checked apart from the others: a process that dies or hangs is a finding about its op.
"""

import argparse
import math
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from ..language.syntax import did_you_mean
from ..library.bases import SPEC
from ..project.progress import Progress, counted
from ..project.project import Project, merge_specs
from ..proof.derive import load_spec
from .calls.findings import Finding, Report
from .checks.bounds import ENVIRONMENT as BOUNDS
from .functions import check_functions, claims
from .isolation import Lost, Task, Worker, answers, end_all
from .processes import Known, Package, check_op, check_op_bounds, known_ops
from .proofs import disproved

PROCESSES = min(2, os.cpu_count() or 1)
EACH = 4  # ops at least that a process is started for: that takes as long as checking some


class Round(NamedTuple):
    """One check of all ops: what runs it, in how many processes at once, and their environment."""

    check: Callable[[Package, str], Report]
    processes: int
    environment: Mapping[str, str]


# Bounds come first: what does not keep to its arrays is not run by kernels that do not look.
ROUNDS = (Round(check_op_bounds, PROCESSES, BOUNDS), Round(check_op, PROCESSES, {}))


def checked(package: Package, ops: Mapping[str, Known], limit: float, spare: list[Worker]) -> Report:
    total, left = Report(), dict(ops)
    with Progress(sum(len(concerned(each, ops)) for each in ROUNDS), "checks") as progress:
        for each in ROUNDS:
            result = one_round(each, package, concerned(each, left), limit, progress, spare)
            for name, (report, goes_on) in result.items():
                total.join(report)
                if not goes_on or (each.check is check_op_bounds and report.findings):
                    del left[name]
    return total


def concerned(each: Round, ops: Mapping[str, Known]) -> dict[str, str]:
    return {name: known.location for name, known in ops.items() if known.by_hand or each.check is not check_op_bounds}


def one_round(
    each: Round, package: Package, locations: Mapping[str, str], limit: float, progress: Progress, spare: list[Worker]
) -> dict[str, tuple[Report, bool]]:
    tasks: list[Task] = [(each.check, (package, name)) for name in locations]
    matches: list[Report | Lost] = [Report()] * len(tasks)
    processes = min(each.processes, -(-len(tasks) // EACH))
    for number, answer in answers(tasks, limit, processes, each.environment, None if each.environment else spare):
        matches[number] = answer
        progress.step()
    pairs = zip(locations.items(), tasks, matches, strict=True)
    return {name: judged(name, location, task, answer, limit, each) for (name, location), task, answer in pairs}


def judged(name: str, where: str, task: Task, answer: Report | Lost, limit: float, each: Round) -> tuple[Report, bool]:
    """The report on an op, be it that its process was lost, and whether there is more to check.

    A process that died is tried again with this op alone: an op before it may have spoilt the memory of both.
    """
    if isinstance(answer, Report):
        return answer, True
    alone = next(again for _, again in answers([task], limit, 1, each.environment)) if answer.died else answer
    if isinstance(alone, Lost):
        return lost(name, where, f"verifying it {alone}"), False
    how = f"verifying it after other ops {answer}; by itself it does not: one of them writes where it should not"
    alone.join(lost(name, where, how))
    return alone, True


def lost(name: str, location: str, text: str) -> Report:
    report = Report()
    report.add(Finding(location, name, "", text))
    return report


PACKAGE = Package("specgrad.generated")
LIMIT = 300.0  # seconds for one op's checks, the compilation of its kernels included


def package_of(project: Project) -> Package:
    return PACKAGE if project.in_tree else Package.of(project.root, project.op_library)


def verify_command(names: Sequence[str], limit: float = LIMIT) -> int:
    with ThreadPoolExecutor(1) as beside:  # a process imports the package while the spec is read
        listing = beside.submit(list_ops, PACKAGE, limit)
        spec, _ = load_spec(SPEC, SPEC.name)
        known_wrong = disproved(spec, names=names)
    return verify(PACKAGE, names, known_wrong, limit, [entry.name for entry in spec.entries], listing.result())


def verify_project(project: Project, names: Sequence[str], limit: float = LIMIT) -> int:
    return verify(package_of(project), names, wrong_in_spec(project, names, limit), limit)


def wrong_in_spec(project: Project, names: Sequence[str] = (), limit: float = LIMIT) -> list[Finding]:
    """What is found without running the package."""
    return [*disproved(project.spec, merge_specs(project.renderer.bases), names), *wrong_functions(project, limit)]


def wrong_functions(project: Project, limit: float = LIMIT) -> list[Finding]:
    result = claims([project.op_library] if project.op_library else [], project.functions)
    if not result:
        return []
    ((_, report),) = answers([(check_functions, (result, dict(project.functions)))], limit, 1)
    if isinstance(report, Lost):
        text = f"running the package's scalar functions {report.how}"
        return [Finding(str(result[0].where), result[0].name, "", text)]
    return list(report.findings.values())


def seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, found {text}")
    return value


class Listing(NamedTuple):
    """The ops of a package, and who has imported it to list them: such a process checks some of them then."""

    known: Mapping[str, Known] | Lost
    spare: list[Worker]


def list_ops(package: Package, limit: float) -> Listing:
    spare: list[Worker] = []
    ((_, known),) = answers([(known_ops, (package,))], limit, 1, spare=spare)
    return Listing(known, spare)


def verify(
    package: Package,
    names: Sequence[str] = (),
    known_wrong: Sequence[Finding] = (),
    limit: float = LIMIT,
    entries: Sequence[str] = (),
    listing: Listing | None = None,
) -> int:
    begin = time.perf_counter()
    known, spare = listing or list_ops(package, limit)
    try:
        if isinstance(known, Lost):
            print(f"verify: importing the package {known.how}", file=sys.stderr)
            return 1
        chosen = choose(list(known), names, entries)
        if chosen is None:
            return 1
        for name in [name for name in chosen if known[name].unverified]:
            print(f"{known[name].location}: {name} is not verified, because {known[name].unverified}")
            chosen.remove(name)
        report = checked(package, {name: known[name] for name in chosen}, limit, spare)
    finally:
        end_all(spare)
    for finding in known_wrong:
        if finding.op in chosen or finding.op not in known:  # of a function: all that call it rest on it
            report.add(finding)
    wrong = report.lines(list(known))
    print("".join(f"{line}\n" for line in wrong), end="")
    if count := report.undefined:
        print(f"{count} derivatives at jumps and poles could not be compared: there the function has no derivative")
    took = time.perf_counter() - begin
    print(f"{counted(len(chosen), 'op')}, {report.checks} checks, {len(wrong)} wrong, {took:.0f} s", flush=True)
    return 1 if wrong else 0


def choose(known: Sequence[str], names: Sequence[str], entries: Sequence[str] = ()) -> list[str] | None:
    """The ops of these names; `entries`: those of the spec, of which some may not be generated yet."""
    bases = {op.partition(".")[0] for op in known}
    for name in names:
        if name not in bases and name not in known:
            if name in {*entries, *(entry.partition(".")[0] for entry in entries)}:
                how = "run `python -m codegen`, which verifies it before anything is written"
                print(f"verify: '{name}' is not generated yet: {how}", file=sys.stderr)
                return None
            print(f"verify: no op named '{name}'{did_you_mean(name, {*known, *bases})}", file=sys.stderr)
            return None
    return [op for op in known if not names or op in names or op.partition(".")[0] in names]
