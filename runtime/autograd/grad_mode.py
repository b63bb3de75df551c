"""Whether operations are recorded: no_grad, enable_grad, set_grad_enabled and inference_mode, one state per thread."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from ..per_thread import PerThread


class Mode(PerThread):
    """The state of one thread: `grad` says that graphs are recorded, `inference` that they cannot be.

    `depth` is the number of backward passes that run within one another.
    """

    def __init__(self) -> None:
        self.grad = True
        self.inference = False
        self.depth = 0


class Watcher(NamedTuple):
    """What somebody who watches every operation wants to be told."""

    note: Callable[[Any], None] | None = None  # called with what each recorded op returned
    backward_pass: Any = None  # a subclass of engine.BackwardPass, without slots of its own; all are combined
    lift: Callable[[Any], Any] | None = None  # called before each op: see runtime/lifting.py
    order: int = 0  # who comes first is outermost


class Watch:
    """`active` is true while anything looks at every operation (forward mode, anomaly mode), in any thread.

    Generated fast paths read this one flag and leave everything else to the general path. `notes`, `passes` and
    `lifts` are what the watchers of the moment want, in their order.
    """

    __slots__ = ("active", "lifts", "lock", "notes", "passes", "watchers")

    def __init__(self) -> None:
        self.active = False
        self.watchers: dict[str, tuple[Watcher, int]] = {}  # and how often each has entered
        self.lock = threading.RLock()
        self.notes: tuple[Any, ...] = ()
        self.passes: tuple[Any, ...] = ()
        self.lifts: tuple[Any, ...] = ()

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
        self.active = bool(present)

    def note(self, result: Any) -> None:
        """Tell all who want to know that an op was recorded."""
        for note in self.notes:
            note(result)


mode = Mode()
watch = Watch()


class _Switch:
    """A context manager that sets the mode, and a decorator for functions and generators."""

    def __init__(self, grad: bool, inference: bool | None = None) -> None:
        self.grad = grad
        self.inference = inference
        self.previous: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self.previous.append((mode.grad, mode.inference))
        mode.grad = self.grad
        if self.inference is not None:
            mode.inference = self.inference

    def __exit__(self, *_: object) -> None:
        mode.grad, mode.inference = self.previous.pop()

    def clone(self) -> _Switch:
        """A fresh switch of the same setting, so that one decorated function can recurse."""
        return _Switch(self.grad, self.inference)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isgeneratorfunction(function):
            return _wrap_generator(self.clone, function)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return wrapper


def _wrap_generator(switch: Callable[[], _Switch], function: Callable[..., Any]) -> Callable[..., Any]:
    """The mode holds while the generator's own code runs, never in the code that consumes it."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        resume: Callable[[], Any] = functools.partial(next, generator)
        while True:
            try:
                with switch():
                    value = resume()
            except StopIteration as stop:
                return stop.value
            try:
                resume = functools.partial(generator.send, (yield value))
            except GeneratorExit:
                with switch():
                    generator.close()
                raise
            except BaseException as error:  # thrown in by the consumer: belongs to the generator
                resume = functools.partial(generator.throw, error)

    return wrapper


def _exchange_grad(grad: bool) -> tuple[bool, bool]:
    """Set whether operations are recorded; returns the mode that was."""
    before = (mode.grad, mode.inference)
    mode.grad = grad
    return before


class _Optional(_Switch):
    """no_grad and enable_grad may decorate without parentheses."""

    _grad = True

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        self = super().__new__(cls)
        if function is None:
            return self
        _Switch.__init__(self, cls._grad)
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


class set_grad_enabled(_Switch):
    """Recording on or off: takes effect at once, and as a context manager it is undone at the end.

    Args:
        mode: whether operations are recorded.

    Example:
        >>> import specgrad as sg
        >>> x = sg.ones(2, requires_grad=True)
        >>> with sg.set_grad_enabled(False):
        ...     print((x * 2).requires_grad)
        False
    """

    def __init__(self, mode: bool) -> None:
        super().__init__(bool(mode))
        self._at_once = _exchange_grad(self.grad)

    def __enter__(self) -> None:
        self.previous.append(self._at_once)
        mode.grad = self.grad

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        mode.grad, mode.inference = self._at_once
        return super().__call__(function)


class inference_mode(_Switch):
    """Like no_grad, and `is_inference_mode_enabled()` is true inside.

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
        _Switch.__init__(self, False, True)
        return self(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(grad=not mode, inference=mode)


def is_grad_enabled() -> bool:
    """True when operations of this thread are recorded."""
    return mode.grad


def is_inference_mode_enabled() -> bool:
    """True inside `inference_mode()` in this thread."""
    return mode.inference
