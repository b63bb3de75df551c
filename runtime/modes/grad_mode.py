"""Whether operations are recorded: no_grad, enable_grad, set_grad_enabled and inference_mode, one state per thread."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import ArgumentError, type_name
from ..locks import new_lock
from .switch import Switch
from .thread_mode import mode


class Watcher(NamedTuple):
    """What somebody who watches every operation wants to be told."""

    note: Callable[[Any], None] | None = None  # called with what each recorded op returned
    backward_pass: Any = None  # a subclass of engine.BackwardPass, without slots of its own; all are combined
    lift: Callable[[Any], Any] | None = None  # called before each op: see runtime/modes/intercept.py
    function: Callable[[Any, Any], Any] | None = None  # the same for custom Functions: (class, arguments)
    order: int = 0  # who comes first is outermost
    span: Callable[[str, Any], Any] | None = (
        None  # a context around the forward of a custom Function: (name, arguments)
    )


class Watch:
    """`active` is true while anything looks at every operation (forward mode, anomaly mode), in any thread.

    Generated functions read this one flag before they try native code, and leave everything else to the general path.
    `notes`, `passes`, `lifts` and `functions` are what the watchers of the moment want, in their order.
    """

    __slots__ = ("active", "functions", "lifts", "lock", "notes", "passes", "spans", "watchers")

    def __init__(self) -> None:
        self.active = False
        self.watchers: dict[str, tuple[Watcher, int]] = {}  # and how often each has entered
        self.lock = new_lock()
        self.notes: tuple[Any, ...] = ()
        self.passes: tuple[Any, ...] = ()
        self.lifts: tuple[Any, ...] = ()
        self.functions: tuple[Any, ...] = ()
        self.spans: tuple[Any, ...] = ()

    def enter(self, name: str, watcher: Watcher) -> None:
        """Somebody begins to watch; as often as they enter they must leave."""
        with self.lock:
            _, count = self.watchers.get(name, (watcher, 0))
            self.watchers[name] = watcher, count + 1
            self.arrange()

    def leave(self, name: str) -> None:
        """Somebody who entered has seen enough."""
        with self.lock:
            watcher, count = self.watchers.pop(name)
            if count > 1:
                self.watchers[name] = watcher, count - 1
            self.arrange()

    def turn(self, name: str, watcher: Watcher | None) -> None:
        """Somebody watches from now on, however often it is said; or, with None, no longer does."""
        with self.lock:
            if watcher is None:
                self.watchers.pop(name, None)
            else:
                self.watchers[name] = watcher, 1
            self.arrange()

    def arrange(self) -> None:
        """Make of the watchers what ops and engine read."""
        present = sorted((watcher for watcher, _ in self.watchers.values()), key=lambda watcher: watcher.order)
        self.notes = tuple(w.note for w in present if w.note is not None)
        self.passes = tuple(w.backward_pass for w in present if w.backward_pass is not None)
        self.lifts = tuple(w.lift for w in present if w.lift is not None)
        self.functions = tuple(w.function for w in present if w.function is not None)
        self.spans = tuple(w.span for w in present if w.span is not None)
        self.active = bool(present)

    def note(self, result: Any) -> None:
        """Tell all who want to know that an op was recorded."""
        for note in self.notes:
            note(result)


watch = Watch()
atexit.register(watch.turn, "the interpreter's end", Watcher())  # no native code when what it knows by address is freed


def _now() -> tuple[bool | None, bool]:
    return mode.grad, mode.inference


class _Optional(Switch):
    """no_grad and enable_grad may decorate without parentheses."""

    _grad = True

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        self = super().__new__(cls)
        if function is None:
            return self
        Switch.__init__(self, cls._grad)
        return self(function)

    def __init__(self) -> None:
        super().__init__(self._grad)


class no_grad(_Optional):
    """Nothing is recorded inside: results do not require grad.

    Example:
        >>> import specgrad as sg
        >>> x = sg.ones(2, requires_grad=True)
        >>> with sg.no_grad():
        ...     print((x * 2).requires_grad)
        False
    """

    _grad = False


class enable_grad(_Optional):
    """Operations are recorded inside, also within `no_grad`.

    Example:
        >>> import specgrad as sg
        >>> x = sg.ones(2, requires_grad=True)
        >>> with sg.no_grad(), sg.enable_grad():
        ...     print((x * 2).requires_grad)
        True
    """

    _grad = True


class set_grad_enabled(Switch):
    """Recording on or off: takes effect at once, and as a context manager it is undone at the end.

    Args:
        mode: whether operations are recorded.

    Raises:
        TypeError: `mode` is not a bool.

    Example:
        >>> import specgrad as sg
        >>> x = sg.ones(2, requires_grad=True)
        >>> with sg.set_grad_enabled(False):
        ...     print((x * 2).requires_grad)
        False
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise ArgumentError(f"set_grad_enabled(): argument 'mode' must be bool, not {type_name(mode)}")
        super().__init__(mode)
        self._at_once = _now()
        self.set()

    def __enter__(self) -> None:
        self.previous.append(self._at_once)
        self.set()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        mode.grad, mode.inference = self._at_once
        return super().__call__(function)

    def __repr__(self) -> str:
        return f"specgrad.autograd.grad_mode.set_grad_enabled(mode={self.grad})"


class inference_mode(Switch):
    """Like no_grad, also for `enable_grad` within; `is_inference_mode_enabled()` is true inside.

    Args:
        mode: False makes the block an ordinary one, in which operations are recorded.

    Example:
        >>> import specgrad as sg
        >>> with sg.inference_mode():
        ...     print(sg.is_inference_mode_enabled())
        True
    """

    def __new__(cls, mode: Any = True) -> Any:
        self = super().__new__(cls)
        if isinstance(mode, bool):
            return self
        Switch.__init__(self, False, True)
        return self(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(grad=not mode, inference=mode)


def is_grad_enabled() -> bool:
    """True when operations of this thread are recorded."""
    return bool(mode.grad)


def is_inference_mode_enabled() -> bool:
    """True inside `inference_mode()` in this thread."""
    return mode.inference
