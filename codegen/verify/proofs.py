"""Reports proofs: a finding for each formula that is wrong, and the lines of `python -m codegen prove`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ..language.syntax import did_you_mean
from ..project.progress import Progress
from ..proof import conjugates
from ..proof.proof import OPEN, PROVED, STATES, WRONG, Prover, Verdict
from ..spec.model import Entry, Spec
from .calls.findings import Finding


def disproved(spec: Spec, base: Spec | None = None, names: Sequence[str] = ()) -> list[Finding]:
    """Findings of size 0: what samples say of the same formula is shown in their place, for they count as worse."""
    prover = Prover({e.name: e for e in (*(base.entries if base else ()), *spec.entries)})
    return [
        Finding(str(entry.gradients[v.argument].where), entry.name, f"gradient of {v.argument}", v.reason, size=0.0)
        for entry, v in verdicts(prover, chosen(spec, names))
        if v.state == WRONG
    ]


def verdicts(prover: Prover, entries: Iterable[Entry]) -> Iterator[tuple[Entry, Verdict]]:
    concerned = [e for e in entries if e.compute.kind == "elementwise" and e.compute.tree is not None]
    with Progress(len(concerned), "proofs") as progress:
        for entry in concerned:
            for verdict in prover.verdicts(entry):
                yield entry, verdict
            progress.step()


def chosen(spec: Spec, names: Sequence[str]) -> list[Entry]:
    return [e for e in spec.entries if not names or e.name in names or e.schema.name in names]


def prove(spec: Spec, names: Sequence[str], base: Spec | None = None) -> tuple[list[str], bool]:
    known = {entry.schema.name for entry in spec.entries} | set(spec.by_name())
    for name in names:
        if name not in known:
            return [f"prove: no op named '{name}'{did_you_mean(name, known)}"], True
    entries = (base.by_name() if base else {}) | spec.by_name()
    matches = list(verdicts(Prover(entries), chosen(spec, names)))
    lines = [line(entry, v) for entry, v in matches if names or v.state != PROVED]
    faults = [conjugates.fault(entries, entry, entry.gradients[v.argument]) for entry, v in matches]
    for (entry, v), why in zip(matches, faults, strict=True):
        lines += [line(entry, Verdict(v.argument, OPEN, f"in complex numbers {why}"))] if why else []
    return [*lines, summary([v for _, v in matches], faults)], any(v.state == WRONG for _, v in matches)


def line(entry: Entry, verdict: Verdict) -> str:
    where = entry.gradients[verdict.argument].where
    at = f", {verdict.compared} points compared" if verdict.compared else ""
    why = f": {verdict.reason}" if verdict.reason else ""
    return f"{where}: {entry.name}, {verdict.argument}: {verdict.state}{why}{at}"


def summary(result: Sequence[Verdict], in_complex: Sequence[str | None]) -> str:
    counts = Counter(verdict.state for verdict in result)
    others = [state for state in STATES if state != PROVED and (counts[state] or state != OPEN)]
    rest = ", ".join(f"{counts[state]} {state}" for state in others)
    took = [why for why in in_complex if why is not None]
    also = f"; {took.count('')} of {len(took)} in complex numbers too" * bool(took)
    return f"{len(result)} gradients of element-wise ops: {counts[PROVED]} proved, {rest}{also}"
