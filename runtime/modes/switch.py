"""`Switch`: a setting of the mode, as a context manager and as a decorator of functions, generators and classes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ..user_warning import warn_user
from .thread_mode import mode


class Switch:
    """A context manager that sets the mode, and a decorator; in inference mode nothing is recorded, whatever is set."""

    def __init__(self, grad: bool, inference: bool | None = None) -> None:
        self.grad = grad
        self.inference = inference
        self.previous: list[tuple[bool | None, bool]] = []

    def __enter__(self) -> None:
        self.previous.append((mode.grad, mode.inference))
        self.set()

    def __exit__(self, *_: object) -> None:
        mode.grad, mode.inference = self.previous.pop()

    def set(self) -> None:
        """Let the setting take effect."""
        if self.inference is not None:
            mode.inference = self.inference
        mode.grad = self.grad and not mode.inference

    def clone(self) -> Switch:
        """A fresh switch of the same setting, so that one decorated function can recurse."""
        return Switch(self.grad, self.inference)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            warn_user(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
                "functions or methods. To preserve the current behavior of class decoration, you can directly decorate "
                "the `__init__` method and nothing else.",
                FutureWarning,
            )
        if inspect.isgeneratorfunction(function):
            return _wrap_generator(self.clone, function)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return wrapper


def _wrap_generator(switch: Callable[[], Switch], function: Callable[..., Any]) -> Callable[..., Any]:
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
