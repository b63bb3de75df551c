"""Context managers that are decorators too: the base class that programs derive their own from."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Self

from ..errors import warn_user
from .grad_mode import CLASSES_ARE_DECORATED, wrap_generator


class DecoratorContextManager:
    """A class with `__enter__` and `__exit__` whose objects decorate functions, each call in a region of its own.

    Example:
        >>> class Announced(DecoratorContextManager):
        ...     def __enter__(self):
        ...         print("begin")
        ...     def __exit__(self, *error):
        ...         print("end")
        >>> @Announced()
        ... def double(x):
        ...     return 2 * x
        >>> double(2)
        begin
        end
        4
    """

    def clone(self) -> Self:
        """A fresh object for one call; a class with arguments overrides it."""
        return type(self)()

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *error: Any) -> Any:
        raise NotImplementedError

    def __call__(self, orig_func: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(orig_func):
            warn_user(CLASSES_ARE_DECORATED, FutureWarning)
        return context_decorator(self.clone, functools.partial(orig_func) if inspect.isclass(orig_func) else orig_func)


class NoParamDecoratorContextManager(DecoratorContextManager):
    """The same for classes without arguments: `@Region` decorates as `@Region()` does."""

    def __new__(cls, orig_func: Callable[..., Any] | None = None) -> Any:
        made = super().__new__(cls)
        if orig_func is None:
            return made
        made.__init__()  # type: ignore[misc]
        return made(orig_func)


def context_decorator(ctx: Any, func: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose calls run in a context, of a generator those parts that are its own.

    Args:
        ctx: a context manager, or what makes one for each call.
        func: the function.

    Raises:
        RuntimeError: `func` is a class and `ctx` a function.
    """
    make = ctx if callable(ctx) and not hasattr(ctx, "__enter__") else lambda: ctx
    if inspect.isclass(func):
        raise RuntimeError(
            f"Cannot decorate classes; it is ambiguous whether or not only the constructor or all methods should have "
            f"the context manager applied; additionally, decorating a class will prevent it from working as a base "
            f"class. To decorate the constructor, decorate {func.__name__}.__init__"
        )
    if inspect.isgeneratorfunction(func):
        return wrap_generator(make, func)

    @functools.wraps(func)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with make():
            return func(*args, **kwargs)

    return decorated
