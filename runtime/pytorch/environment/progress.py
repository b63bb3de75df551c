"""`tqdm`: the bar of progress of the package of that name, or one that shows nothing where it is not installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import TracebackType
from typing import Any


class Silent:
    """What takes the place of a bar of progress: it counts, and shows nothing.

    Args:
        iterable: what is gone through.
        total: how many steps there are.
        disable, **kwargs: how a bar would look.

    Example:
        >>> with Silent(total=2) as bar:
        ...     bar.update(1)
        >>> bar.n, list(Silent("ab"))
        (1, ['a', 'b'])
    """

    def __init__(self, iterable: Any = (), total: Any = None, disable: bool = False, **kwargs: Any) -> None:
        self._iterable = iterable
        self.total, self.disable, self.n = total, disable, 0

    def update(self, n: Any = 1) -> None:
        self.n += n

    def set_description(self, *args: Any, **kwargs: Any) -> None:
        """What a bar would say."""

    def write(self, s: str, **kwargs: Any) -> None:
        print(s)

    def close(self) -> None:
        """End the bar."""

    def __iter__(self) -> Any:
        return iter(self._iterable)

    def __enter__(self) -> Silent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def bar_class() -> Any:
    """The class `tqdm` of the package of that name; `Silent` where it is not installed."""
    return import_module("tqdm.auto").tqdm if find_spec("tqdm") else Silent
