"""Parameter lists and the arguments of calls, as text in generated code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..spec.model import Argument

Hint = Callable[[Argument], str]  # gives a parameter's annotation, its colon included


def parameter_list(
    arguments: Iterable[Argument], added: Sequence[str] = (), hint: Hint = lambda _: "", more: Sequence[str] = ()
) -> str:
    """Parameters with their defaults; those that are given by keyword, and what is added, stand behind a star.

    `more` are places that calls of an older form fill. Then nothing stands behind a star: Python calls a function
    sooner whose parameters all have places, which more than pays for looking at these.
    """
    plain: list[str] = []
    named: list[str] = []
    for argument in arguments:
        default = "" if argument.default is None else f"={argument.python_default}"
        (named if argument.keyword_only else plain).append(f"{argument.python_name}{hint(argument)}{default}")
    named += added
    if more:
        return ", ".join([*plain, *more, *named])
    return ", ".join([*plain, *(["*", *named] if named else [])])


def handed_on(arguments: Iterable[Argument]) -> list[str]:
    return [f"{a.python_name}=" * a.keyword_only + a.python_name for a in arguments]


def python_names(arguments: Iterable[Argument]) -> str:
    return ", ".join(a.python_name for a in arguments)


def renamed(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [line for theirs, ours in pairs for line in (f"if {theirs} is not None:", f"    {ours} = {theirs}")]


def behind(items: Iterable[str]) -> str:
    """Arguments behind others: a comma before each item."""
    return "".join(f", {item}" for item in items)


def star_args(items: Iterable[str]) -> str:
    """The inside of a tuple: a comma behind each item."""
    return "".join(f"{item}, " for item in items)
