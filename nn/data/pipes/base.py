"""The classes that data pipes derive from, and how a class becomes a method of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from ..dataset import Dataset, IterableDataset

T_co = TypeVar("T_co", covariant=True)
AnyClass = TypeVar("AnyClass", bound=type)


class _Functional:
    """The part of a pipe that finds steps by the names that they were registered under."""

    functions: ClassVar[dict[str, Callable[..., Any]]]

    def __getattr__(self, name: str) -> Any:
        if name in self.functions:
            function = self.functions[name]
            return lambda *args, **kwargs: function(self, *args, **kwargs)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None:
        """Make a method `function_name` of all pipes: `function(pipe, ...)`."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: Callable[..., Any], enable_df_api_tracing: bool = False
    ) -> None:
        """Make a method `function_name` of all pipes, which gives `cls_to_register(pipe, ...)`.

        `enable_df_api_tracing` has no meaning: there are no data frames.
        """
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")
        cls.functions[function_name] = cls_to_register


class IterDataPipe(_Functional, IterableDataset[T_co]):
    """A dataset of samples one after the other, whose methods are further steps.

    Example:
        >>> from specgrad.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(range(5)).filter(lambda n: n % 2 == 0).map(str).batch(2))
        [['0', '2'], ['4']]
    """

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}

    def reset(self) -> None:
        """Called before each pass: nothing is kept from one to the next."""


class MapDataPipe(_Functional, Dataset[T_co]):
    """A dataset of samples by index, whose methods are further steps."""

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}


def functional_datapipe(name: str, enable_df_api_tracing: bool = False) -> Callable[[AnyClass], AnyClass]:
    """A decorator that makes a class of pipes a method of pipes.

    Args:
        name: the name of the method.
        enable_df_api_tracing: has no meaning: there are no data frames.

    Raises:
        TypeError: the class is none of pipes.

    Example:
        >>> from specgrad.utils.data import IterDataPipe, functional_datapipe
        >>> from specgrad.utils.data.datapipes.iter import IterableWrapper
        >>> @functional_datapipe("doubled")
        ... class Doubled(IterDataPipe):
        ...     def __init__(self, source):
        ...         self.source = source
        ...     def __iter__(self):
        ...         return (2 * item for item in self.source)
        >>> list(IterableWrapper([1, 2]).doubled())
        [2, 4]
    """

    def register(cls: AnyClass) -> AnyClass:
        if not issubclass(cls, (IterDataPipe, MapDataPipe)):
            raise TypeError("`functional_datapipe` can only decorate IterDataPipe or MapDataPipe")
        cls.register_datapipe_as_function(name, cls)
        return cls

    return register
