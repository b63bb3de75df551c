"""Locks that a fork, and the end of the interpreter, find open.

A forked process has one thread, so a lock that another thread held is closed there for ever, and what it guards is half
done; a daemon thread stops for good in the middle of what it does when the interpreter ends. So the thread that forks
takes all locks before, those of the compiler and of imports among them, and the main thread takes them when the
interpreter ends, and keeps them. It tries all at once, and waits for the first that is not free while it holds no
other: in whatever order other threads take them, none waits for one that waits for it. A lock that is not free after
PATIENCE seconds is made anew in the forked process."""

import _frozen_importlib
import _imp
import _thread
import atexit
import logging  # noqa: F401 - takes its lock before a fork, after ours only if it says so before us
import os
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from itertools import compress, starmap
from operator import and_, methodcaller
from typing import Any

PATIENCE = 20.0  # seconds
GLANCE = 0.001  # seconds from one look at what is imported to the next
LOADED_LATE = (__name__.partition(".")[0], "numpy", "scipy", "numba", "llvmlite", "ml_dtypes")
COMPILER = (  # which holds these itself, and not only when we ask it to compile
    ("numba.core.compiler_lock", "global_compiler_lock._lock"),
    ("llvmlite.binding.ffi", "lib._lock._lock"),
)
_module_locks: dict[str, Callable[[], Any]] = getattr(_frozen_importlib, "_module_locks", {})  # as weak references
_try, _release = methodcaller("acquire", False), methodcaller("release")

_known: set[weakref.ref[Any]] = set()


class _Taking(threading.local):
    def __init__(self) -> None:
        self.requested: list[Any] = []
        self.acquired: list[bool] = []


_here = _Taking()
_held: list[bool] = []


def new_lock() -> Any:
    """A lock that a fork finds open. Its thread may take it again, for the collector may run a finaliser anywhere."""
    lock = threading.RLock()
    remember(lock)
    return lock


def locked(method: Callable[..., Any]) -> Callable[..., Any]:
    """One thread at a time is in the method, by the object's `lock`."""

    @wraps(method)
    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
        with self.lock:
            return method(self, *arguments, **keywords)

    return call


def remember(lock: Any) -> None:
    _known.add(weakref.ref(lock, _known.discard))


class _Imports:
    """The interpreter's lock of imports, which is free for us when no other thread loads what we load when needed."""

    def acquire(self, blocking: bool, timeout: float = 0) -> bool:
        """Take it, unless modules are being loaded; then wait a little, if that is allowed."""
        _imp.acquire_lock()
        if not {*starmap(_loading, list(_module_locks.items()))} - {None, threading.get_ident()}:
            return True
        _imp.release_lock()
        time.sleep(min(timeout, GLANCE))
        return False

    def release(self) -> None:
        _imp.release_lock()


_imports = _Imports()


def _loading(name: str, lock: Callable[[], Any]) -> int | None:
    """The thread that has a module's own lock until the module has run, if it is one that we load when needed."""
    return getattr(lock(), "owner", None) if name.partition(".")[0] in LOADED_LATE else None


def loads_here() -> bool:
    """A finaliser that runs while this thread loads the compiler must not wait for another thread that loads it too."""
    return threading.get_ident() in starmap(_loading, list(_module_locks.items()))


def _all_locks() -> list[Any]:
    known = [lock for reference in list(_known) if (lock := reference()) is not None]
    return [*known, *filter(None, map(_compiler_lock, COMPILER)), _imports]


def _compiler_lock(target: tuple[str, str]) -> Any:
    cached = sys.modules.get(target[0])
    for name in target[1].split("."):
        cached = getattr(cached, name, None)
    return cached if hasattr(cached, "_at_fork_reinit") else None


def _take_all() -> None:
    """Take all locks, or what is free of them when the time is over."""
    end, missing = time.monotonic() + PATIENCE, None
    requested, acquired = _here.requested, _here.acquired
    while True:
        acquired.clear()
        requested[:] = sorted(_all_locks(), key=lambda lock: lock is not missing)
        wait = methodcaller("acquire", True, max(0.0, end - time.monotonic()))
        acquired.extend(map(wait, requested[:1]))  # each of these is one step: no exception leaves a lock unnoted
        acquired.extend(map(_try, requested[1:]))
        # Another thread may have loaded the compiler, or made a lock, while this one waited for the first.
        are_all = all(acquired) and {*map(id, _all_locks())} <= {*map(id, requested)}
        if are_all or time.monotonic() > end:
            return
        missing = next((lock for lock, is_ours in zip(requested, acquired, strict=True) if not is_ours), None)
        _give_back()


def _give_back() -> None:
    deque(map(_release, compress(_here.requested, _here.acquired)), maxlen=0)
    _here.acquired.clear()


def _forked() -> None:
    """In the forked process nobody holds a lock."""
    for lock, acquired in zip(_here.requested, _here.acquired, strict=False):
        if not acquired and not isinstance(lock, _Imports):
            lock._at_fork_reinit()
    _give_back()
    for lock in _locks_of_properties():
        lock._at_fork_reinit()


def _locks_of_properties() -> Iterator[Any]:
    """Of `cached_property` in the compiler: held without any lock above; what was half done is done again."""
    compiler = {name.partition(".")[0] for name, _ in COMPILER}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in compiler or module is None:
            continue
        for cls in [value for value in list(vars(module).values()) if isinstance(value, type)]:
            once = [value for value in list(vars(cls).values()) if isinstance(value, cached_property)]
            parts = [part for value in once for part in vars(value).values()]
            yield from (part for part in parts if hasattr(part, "_at_fork_reinit"))


def are_retained() -> bool:
    """Whether the main thread has taken all locks for good, so that no other thread imports or compiles any more."""
    return bool(_held)


def _keep_all() -> None:
    """Where there is no other thread, none stops in the middle of something. What is not free is not kept."""
    if not _thread._count():
        return
    _take_all()
    _held.append(True)
    plain = [isinstance(lock, _thread.LockType) for lock in _here.requested]
    deque(map(_release, compress(_here.requested, map(and_, plain, _here.acquired))), maxlen=0)


atexit.register(_keep_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take_all, after_in_parent=_give_back, after_in_child=_forked)
