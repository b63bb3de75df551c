"""Checks of the calls that an entry says are refused, and that there are some where it has a check."""

from __future__ import annotations

from collections.abc import Iterator

from ..spec.model import Problem
from .context import Context
from .sample import check_sample


def check_refuses(context: Context) -> Iterator[Problem]:
    """Each call, which must be one but for its values; a check of which no call is refused says nothing."""
    entry = context.entry
    for refusal in entry.refuses:
        yield from check_sample(context, "refuses", refusal.call)
    if entry.check is not None and not entry.refuses and "refuses" not in entry.key_places:
        first = entry.samples[0].text if entry.samples else "self=T(3)"
        message = (
            f"nothing shows that the check '{entry.check}' refuses anything: give `refuses`, a list of calls that it "
            f"must refuse, written like the samples ({first})"
        )
        yield context.problem(entry.key_places["check"], message, "check")
