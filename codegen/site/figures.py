"""`python -m codegen statistics`: the figures of the documents, and which of them are stale.

In the source of a document a figure is followed by its name, in a comment that is not shown: `683<!--entries-->`. Its
value is counted in the spec, or read from the page with the output of the command that measured it. Beside a
measurement that takes long stands what it was made with, `683<!--at entries-->`: if that has changed much, it is stale.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..language.scalar_functions import FUNCTIONS
from ..library.bases import SPEC
from ..pages.statistics import spec_stats
from ..proof import conjugates
from ..proof.derive import load_spec
from ..proof.proof import EQUAL, OPEN, PROVED, Prover
from ..spec.model import Entry
from ..verify.proofs import verdicts

TREE = SPEC.parent
MAX_CHANGE = 0.02  # of a figure since something was measured
# Name: the page, and the place on it, of what a long command printed.
MEASURED = {
    "programs": ("docs/ported.md", r"^(\d+) of the \d+ that run on PyTorch"),
    "suite_tests": ("docs/ported.md", r"^Of (\d+) tests that pass on PyTorch"),
    "suite_passed": ("docs/ported.md", r"tests that pass on PyTorch, (\d+) pass"),
    "suite_percent": ("docs/ported.md", r"pass: ([\d.]+) %"),
    "workloads": ("docs/speed.md", r"^all +[\d.]+ .*of (\d+)$"),
    "speedup": ("docs/speed.md", r"^all +([\d.]+)"),
    "speedup_small": ("docs/speed.md", r"^overhead +([\d.]+)"),
    "speedup_training": ("docs/speed.md", r"^model +([\d.]+)"),
    "import_seconds": ("docs/speed.md", r"^specgrad +(0\.\d+)"),
    "import_seconds_pytorch": ("docs/speed.md", r"^torch +(0\.\d+)"),
    "wheel_megabytes": ("docs/compiling.md", r"([\d.]+) MB in all"),
    "checks": ("docs/trust.md", r"([\d,]*\d) checks of"),
    "mutants": ("docs/trust.md", r"Of the other ([\d,]*\d)"),
    "mutants_found": ("docs/trust.md", r"\*\*([\d.]+) %\*\* if only proven escapes do"),
}
# Name: a file, and what stands in it once for each.
COUNTED = {
    "ops": ("docs/ops.md", r"\]\(ops/\w+\.md#\w"),
    "same_bits": ("tests/device/threads/test_same_bits.py", r'^    "[^"]+": \('),
}
NOTE = re.compile(r"([\d,.]*\d)<!--(at )?(\w+)-->")


def statistics_command(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m codegen statistics", description=__doc__)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--write", action="store_true", help="write the figures into README.md and docs/")
    group.add_argument("--check", action="store_true", help="print those that are stale; exit 1 if there are any")
    options = parser.parse_args(argv)
    figures = all_figures()
    if not options.write and not options.check:
        print("\n".join(f"{value:>9}  {name}" for name, value in figures.items()))
        return 0
    if options.write:
        for page in pages():
            text = page.read_text(encoding="utf-8")
            page.write_text(current(text, figures), encoding="utf-8")
    problems = [problem for page in pages() for problem in stale(page, figures)]
    print("\n".join(problems), file=sys.stderr, end="\n" * bool(problems))
    return 1 if problems else 0


def pages() -> list[Path]:
    return [TREE / "README.md", *sorted((TREE / "docs").glob("*.md"))]


def all_figures() -> dict[str, str]:
    """Every figure by name, as the documents write it."""
    spec = load_spec(SPEC, SPEC.name)[0]
    stats = spec_stats(SPEC, spec.entries)
    counted = {"entries": stats.entries, "functions": stats.functions}
    counted |= entry_figures(spec.entries) | proof_figures(spec.entries)
    counted |= {name: len(re.findall(each, read(file), re.MULTILINE)) for name, (file, each) in COUNTED.items()}
    return {name: f"{value:,}" for name, value in counted.items()} | {name: measured(name) for name in MEASURED}


def entry_figures(entries: Sequence[Entry]) -> dict[str, int]:
    formulas = [[*entry.gradients.values(), *entry.forward.values()] for entry in entries]
    return {
        "derived": sum(bool(own) and all(formula.derived for formula in own) for own in formulas),
        "references": sum(bool(entry.reference) for entry in entries),
        "error_calls": sum(len(entry.refuses) for entry in entries),
        "error_entries": sum(bool(entry.refuses) for entry in entries),
        "skip_grad": sum(bool(entry.unvaried) for entry in entries),
        "scalar_functions": len(FUNCTIONS),
    }


def proof_figures(entries: Sequence[Entry]) -> dict[str, int]:
    by_name = {entry.name: entry for entry in entries}
    results = list(verdicts(Prover(by_name), entries))
    states = Counter(verdict.state for _, verdict in results)
    faults = [conjugates.fault(by_name, entry, entry.gradients[verdict.argument]) for entry, verdict in results]
    return {
        "gradients": len(results),
        "proved": states[PROVED],
        "equal_in_numbers": states[EQUAL],
        "open": states[OPEN],
        "complex": sum(fault is not None for fault in faults),
        "complex_proved": faults.count(""),
    }


def measured(name: str) -> str:
    page, pattern = MEASURED[name]
    match = re.search(pattern, read(page), re.MULTILINE)
    if match is None:
        raise ValueError(f"{page} has no figure '{name}': nothing on it matches {pattern!r}")
    return match[1]


def read(name: str) -> str:
    return (TREE / name).read_text(encoding="utf-8")


def current(text: str, figures: Mapping[str, str]) -> str:
    """The text with the figures as they are now; what was measured keeps those of its time."""
    return NOTE.sub(lambda m: m[0] if m[2] else f"{figures.get(m[3], m[1])}<!--{m[3]}-->", text)


def stale(page: Path, figures: Mapping[str, str]) -> Iterator[str]:
    """A line for each figure of a page that is unknown or no longer right."""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        for shown, at, name in NOTE.findall(line):
            where, value = f"{page.relative_to(TREE)}:{number}", figures.get(name)
            if value is None:
                yield f"{where}: there is no figure '{name}'"
            elif at and abs(number_of(shown) / number_of(value) - 1) > MAX_CHANGE:
                yield f"{where}: measured at {shown} {name}, there are {value}: measure again"
            elif not at and shown != value:
                yield f"{where}: {name} is {value}, not {shown}: python -m codegen statistics --write"


def number_of(figure: str) -> float:
    return float(figure.replace(",", ""))
