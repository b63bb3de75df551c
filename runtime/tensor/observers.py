"""Watchers of all operations: they are told of each op, see the backward passes, or take an op's place.

Every generated function calls `intercept` before its general path when a watcher wants it to. The watchers' functions
are nested in their order: a timer around batching, batching around the op. NOT_HANDLED leaves it to the next."""

from __future__ import annotations

import atexit
import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from ..locks import new_lock
from ..thread_state import mode
from .overrides import NOT_HANDLED as NOT_HANDLED
from .overrides import overridden_call, plain, watch_all

EVERYTHING, LISTED, TANGENTS, EXAMPLES, SAVING, TIMES = (
    "every op",
    "ops whose entries have the key autocast",
    "ops on tensors with tangents",
    "ops on examples of a batch, and what draws",
    "ops whose nodes keep tensors",
    "how long ops take, which run as they do otherwise",
)
BESIDE = {EXAMPLES, LISTED, TIMES}  # concerns of those that native code need not be switched off for
Function = TypeVar("Function", bound=Callable[..., Any])


class Watcher(NamedTuple):
    note: Callable[[Any], None] | None = None  # called with what each recorded op returned
    backward_pass: Any = None  # a subclass of engine.BackwardPass, without slots of its own; all are combined
    intercept: Callable[[Any], Any] | None = None  # called with each op's call: its result, or NOT_HANDLED
    function: Callable[[Any, Any], Any] | None = None  # likewise for custom Functions, with class and arguments
    order: int = 0  # the least is outermost
    concern: str = EVERYTHING  # which ops concern it
    read: Callable[[Any], None] | None = None  # called with a tensor whose elements Python or NumPy is to see
    span: Callable[[str, Any], Any] | None = None  # a context around a custom Function's forward: (name, arguments)
    timer: Callable[[Any], Any] | None = None  # like `intercept`, in its place; it changes nothing


class Watch:
    """Generated functions try native code first unless `every` is true: somebody looks at every op, in any thread.

    Forward mode and vmap do not: native code answers None where an argument has tangents or is an example of a batch.
    While `saving` is true, native code notes nodes that keep tensors too. What else native code is not told of is left
    to the general path while `active` is true: for everybody but vmap, whose interceptors the general path asks, and
    autocast. For that, ops whose entries have the key read `casts` in the place of `every`, and `uncast`. `notes`,
    `passes`, `interceptors`, `functions`, `spans`, `timers` and `reads` are what watchers asked for, in their order;
    `surrounding` are both timers and interceptors."""

    __slots__ = (
        "active",
        "casts",
        "every",
        "functions",
        "interceptors",
        "lock",
        "notes",
        "passes",
        "reads",
        "saving",
        "spans",
        "surrounding",
        "timers",
        "watchers",
    )

    def __init__(self) -> None:
        self.active = False
        self.casts = False
        self.every = False
        self.saving = False
        self.watchers: dict[str, tuple[Watcher, int]] = {}  # and how often each has entered
        self.lock = new_lock()
        self.notes: tuple[Any, ...] = ()
        self.passes: tuple[Any, ...] = ()
        self.interceptors: tuple[Any, ...] = ()
        self.timers: tuple[Any, ...] = ()
        self.surrounding: tuple[Any, ...] = ()
        self.functions: tuple[Any, ...] = ()
        self.spans: tuple[Any, ...] = ()
        self.reads: tuple[Any, ...] = ()

    def enter(self, name: str, watcher: Watcher) -> None:
        """Each `enter` needs a `leave`."""
        with self.lock:
            _, count = self.watchers.get(name, (watcher, 0))
            self.watchers[name] = watcher, count + 1
            self.arrange()

    def leave(self, name: str) -> None:
        with self.lock:
            watcher, count = self.watchers.pop(name)
            if count > 1:
                self.watchers[name] = watcher, count - 1
            self.arrange()

    def turn(self, name: str, watcher: Watcher | None) -> None:
        """However often it has entered; None removes it."""
        with self.lock:
            if watcher is None:
                self.watchers.pop(name, None)
            else:
                self.watchers[name] = watcher, 1
            self.arrange()

    def arrange(self) -> None:
        if not self.watchers:
            self.notes = self.passes = self.interceptors = self.functions = self.spans = self.reads = ()
            self.timers = self.surrounding = ()
            self.active = self.casts = self.every = self.saving = False
            watch_all(False)
            return
        active_watchers = [watcher for watcher, _ in self.watchers.values()]
        active_watchers.sort(key=lambda watcher: watcher.order)
        self.notes = tuple([w.note for w in active_watchers if w.note is not None])
        self.passes = tuple([w.backward_pass for w in active_watchers if w.backward_pass is not None])
        self.interceptors = tuple([w.intercept for w in active_watchers if w.intercept is not None])
        self.timers = tuple([w.timer for w in active_watchers if w.timer is not None])
        self.surrounding = tuple([each for w in active_watchers if (each := w.timer or w.intercept) is not None])
        watch_all(bool(self.surrounding))
        self.functions = tuple([w.function for w in active_watchers if w.function is not None])
        self.spans = tuple([w.span for w in active_watchers if w.span is not None])
        self.reads = tuple([w.read for w in active_watchers if w.read is not None])
        concerns = {w.concern for w in active_watchers}
        self.active = not concerns <= BESIDE
        self.every = EVERYTHING in concerns
        self.casts = self.every or LISTED in concerns
        self.saving = SAVING in concerns

    def note_read(self, tensor: Any) -> None:
        for read in self.reads:
            read(tensor)

    def note(self, result: Any) -> None:
        for note in self.notes:
            note(result)


watch = Watch()
atexit.register(watch.turn, "the interpreter's end", Watcher())  # no native code when what it knows by address is freed


policies_of: dict[Any, dict[str, str]] = {}  # function -> type of device -> what autocast casts its tensors to


def autocast_as(cpu: str = "", cuda: str = "") -> Callable[[Function], Function]:
    """`cpu`, `cuda`: the word of the key `autocast`, with positions for argument names; nothing leaves calls alone."""

    def note(function: Function) -> Function:
        policies_of[function] = {"cpu": cpu, "cuda": cuda}
        return function

    return note


core_dims_of: dict[Any, dict[str, int]] = {}


def core_dims(**dims: int) -> Callable[[Function], Function]:
    """How many of its last dimensions an op names for each tensor: those ahead are a batch, in which they broadcast."""

    def note(function: Function) -> Function:
        core_dims_of[function] = dims
        return function

    return note


def uncast() -> bool:
    """This thread casts nothing, and nobody watches every op."""
    return not watch.every and mode.autocast != mode.depth


class LayoutHandlers:
    """Who computes for tensors that have no memory of their own, added once there is one: an answer, or NOT_HANDLED."""

    answers: tuple[Callable[[str, Callable[..., Any], Any, Any], Any], ...] = ()


class _Passing(threading.local):
    function: Any = None  # the op that is let through: its next call is not intercepted again
    all: bool = False  # whether every op is


_passing = _Passing()


@dataclass(slots=True, eq=False)
class OpCall:
    name: str
    function: Callable[..., Any]
    rule: Any
    args: Any
    kwargs: Any
    following: tuple[Any, ...]  # watchers that were not asked yet

    def advance(self) -> Any:
        while self.following:
            first, self.following = self.following[0], self.following[1:]
            result = first(self)
            if result is not NOT_HANDLED:
                return result
        return NOT_HANDLED

    def proceed(self) -> Any:
        result = self.advance()
        if result is not NOT_HANDLED:
            return result
        return run_itself(self.function, *self.args, **self.kwargs)


def run_itself(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Watchers have been asked, and left the op to itself."""
    if not watch.surrounding:
        return function(*args, **kwargs)
    _passing.function = function
    try:
        return function(*args, **kwargs)
    finally:
        _passing.function = None


def intercept(name: str, function: Callable[..., Any], rule: Any, *args: Any, **kwargs: Any) -> Any:
    result = overridden_call(function, args, kwargs, name)
    if result is NOT_HANDLED and watch.surrounding and not _passing.all:
        if _passing.function is function:
            _passing.function = None
        else:
            result = OpCall(name, function, rule, args, kwargs, watch.surrounding).advance()
    if result is NOT_HANDLED:
        for answer in LayoutHandlers.answers:
            result = answer(name, function, args, kwargs)
            if result is not NOT_HANDLED:
                break
    return result


@contextmanager
def without_interception() -> Iterator[None]:
    before, _passing.all = _passing.all, True
    try:
        yield
    finally:
        _passing.all = before


def interceptable(rule: str, sparse: str = "") -> Callable[[Function], Function]:
    """`rule` is for batching: `random` for what draws numbers, `like` for new tensors; `sparse` for sparse tensors."""

    def decorate(function: Any) -> Any:
        name = function.__name__

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if watch.interceptors or (args and args[0].__class__ not in plain):
                result = intercept(name, wrapper, rule, *args, **kwargs)
                if result is not NOT_HANDLED:
                    return result
            return function(*args, **kwargs)

        wrapper.sparse_rule = sparse  # type: ignore[attr-defined]
        return wrapper

    return decorate


def sampling(function: Function) -> Function:
    """`interceptable` for what draws numbers."""
    return interceptable("random")(function)
