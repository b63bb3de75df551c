"""Named ranges of the user's program, calls of custom Functions, and the session that is being recorded into.

Optimizers and data loaders name their part of a step, so this module is imported with specgrad and imports little.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from ...locks import new_lock

if TYPE_CHECKING:
    from .session import Record, Session

ENGINE, RANGE = "engine", "range"  # kinds of events, beside those of the session
# Calls of process groups under way, and the program that waits for one, or lets the transport go on with it.
CALL, WAIT, DRIVE = "call", "wait", "drive"


class Current:
    """The session that is being recorded into, and the recorder that began and will end it; both None otherwise."""

    __slots__ = ("lock", "owner", "session")

    def __init__(self) -> None:
        self.session: Session | None = None
        self.owner: Any = None
        self.lock = new_lock()


current = Current()


class record_function(contextlib.ContextDecorator):
    """Name a part of the program: it becomes an event that holds what runs in it. Also a decorator of functions.

    Without a profiler that records it does nothing.

    Args:
        name: what the table and the trace call it.
        args: a text that the trace shows with it.

    Example:
        >>> import specgrad as sg
        >>> x = sg.ones(3)
        >>> with sg.profiler.profile() as prof:
        ...     with sg.profiler.record_function("double"):
        ...         y = x * 2
        >>> [(event.name, event.cpu_parent and event.cpu_parent.name) for event in prof.events()]
        [('double', None), ('aten::mul', 'double')]
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        if not isinstance(name, str):
            raise TypeError(f"record_function(): argument 'name' must be str, not {type(name).__name__}")
        self.name = name
        self.args = args
        self.session: Session | None = None
        self.record: Record | None = None

    def _recreate_cm(self) -> record_function:
        return record_function(self.name, self.args)  # a decorated function may call itself, in several threads

    def __enter__(self) -> record_function:
        session = self.session = current.session
        if session is not None:
            self.record = session.begin(self.name, RANGE)
            self.record.note = self.args or ""
        return self

    def __exit__(self, *_: Any) -> None:
        if self.session is not None and self.record is not None:
            self.session.end(self.record)


class function_call:
    """The forward of a custom Function, an op by its own name."""

    __slots__ = ("args", "name", "record", "session")

    def __init__(self, name: str, args: Any) -> None:
        self.name = name
        self.args = args

    def __enter__(self) -> None:
        session = self.session = current.session
        if session is not None:
            from .session import OP  # loaded with the profiler

            self.record = session.begin(self.name, OP, self.args)

    def __exit__(self, *_: Any) -> None:
        if self.session is not None:
            self.session.end(self.record)
