"""Values that are there later: a value or an error is set once, and functions are called with it."""

import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from ....locks import new_lock

T = TypeVar("T")


class Future(Generic[T]):
    """A value that is set once, maybe by another thread.

    Args:
        devices: where its tensors may lie; work on a stream of a device is not waited for.

    Example:
        >>> future = Future()
        >>> doubled = future.then(lambda done: 2 * done.wait())
        >>> future.set_result(21)
        >>> doubled.wait()
        42
    """

    def __init__(self, *, devices: Sequence[Any] | None = None) -> None:
        self.devices = list(devices or ())
        self._ended = threading.Event()
        self._lock = new_lock()
        self._callbacks: list[Callable[[Future[T]], Any]] = []
        self._value: Any = None
        self._error: BaseException | None = None

    def done(self) -> bool:
        """Whether the value, or an error, is there."""
        return self._ended.is_set()

    def wait(self) -> T:
        """The value, as soon as it is there, or the error that was set in its place is raised."""
        self._ended.wait()
        return self.value()

    def value(self) -> T:
        """As `wait`; a RuntimeError where nothing is there yet."""
        if not self.done():
            raise RuntimeError("Future: the value is not there yet; wait() waits for it")
        if self._error is not None:
            raise self._error
        return self._value

    def set_result(self, result: T) -> None:
        """Set the value to `result`, and call what waits for it; a RuntimeError where it, or an error, is set."""
        self._end(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Set an error, `result`, in place of the value; a RuntimeError where one of them is set."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._end(None, result)

    def _end(self, value: Any, error: BaseException | None) -> None:
        with self._lock:
            if self.done():
                raise RuntimeError("Future can only be marked completed once.")
            self._value, self._error = value, error
            self._ended.set()
            waiting, self._callbacks = self._callbacks, []
        for callback in waiting:
            callback(self)

    def add_done_callback(self, callback: "Callable[[Future[T]], Any]") -> None:
        """Call `callback(self)` when the value is there: at once if it is."""
        with self._lock:
            if not self.done():
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: "Callable[[Future[T]], Any]") -> "Future[Any]":
        """A Future of what `callback(self)` gives, which is called when the value is there."""
        following: Future[Any] = Future(devices=self.devices)

        def run(done: Future[T]) -> None:
            try:
                result = callback(done)
            except Exception as error:
                following.set_exception(error)
            else:
                following.set_result(result)

        self.add_done_callback(run)
        return following


def collect_all(futures: Sequence[Future[Any]]) -> Future[list[Future[Any]]]:
    """A Future of these Futures, which is there when they all are.

    Example:
        >>> first, second = Future(), Future()
        >>> both = collect_all([first, second])
        >>> first.set_result(1)
        >>> second.set_result(2)
        >>> [future.wait() for future in both.wait()]
        [1, 2]
    """
    waiting, lock = list(futures), new_lock()
    combined: Future[list[Future[Any]]] = Future()
    missing = len(waiting)

    def note(*_: Any) -> None:
        nonlocal missing
        with lock:
            missing -= 1
            last = not missing
        if last:
            combined.set_result(waiting)

    for future in waiting:
        future.add_done_callback(note)
    if not waiting:
        combined.set_result(waiting)
    return combined


def wait_all(futures: Sequence[Future[Any]]) -> list[Any]:
    """The values of Futures, when they are all there; the error of the first that has one is raised."""
    return [future.wait() for future in collect_all(futures).wait()]
