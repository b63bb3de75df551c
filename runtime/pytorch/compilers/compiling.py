"""`compile` and the marks that programs leave for a compiler: nothing is compiled, and `compile` says so once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ...errors import warn_once

T = TypeVar("T")
_MODES = "default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite"


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = "inductor",
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
    **kwargs: Any,
) -> Any:
    """The function or module itself, with a warning the first time: ops are machine code already, programs are not.

    Args:
        model: the function or module; without it, a decorator of these.
        fullgraph, dynamic, backend, disable: how it would be compiled.
        mode, options: likewise; one of the two at most.
        **kwargs: what newer versions of PyTorch take.

    Raises:
        RuntimeError: mode and options, or an unknown mode.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     compile(max) is max
        True
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if not disable:
        warn_once("specgrad.compile returns its argument: programs run as they are written, and ops are compiled.")
    return _same if model is None else model


def _same(value: T) -> T:
    return value


def allow_in_graph(fn: T) -> T:
    """The function itself, which a compiler is not to look into.

    Args:
        fn: the function, or a list of functions.

    Raises:
        AssertionError: it cannot be called.
    """
    for one in fn if isinstance(fn, (list, tuple)) else (fn,):
        if not callable(one):
            raise AssertionError("allow_in_graph expects a callable")
    return fn


def substitute_in_graph(original_fn: Callable[..., Any], **kwargs: Any) -> Callable[[T], T]:
    """A decorator of what a compiler would look at in place of a function; both stay as they are.

    Args:
        original_fn: that function.
        **kwargs: how it would be used.
    """
    return _same


def optimize(*args: Any, **kwargs: Any) -> Callable[[T], T]:
    """A decorator that returns its argument: the older form of `compile`.

    Args:
        *args, **kwargs: how it would be compiled.
    """
    compile(_same)
    return _same


class set_stance:
    """What is to be done with functions that are to be compiled: they run as they are, whatever is set.

    Args:
        stance: 'default', 'force_eager', 'eager_on_recompile', 'fail_on_recompile' or another of PyTorch's.
        **kwargs: how it would be compiled.

    Example:
        >>> with set_stance("force_eager"):
        ...     pass
    """

    def __init__(self, stance: str = "default", **kwargs: Any) -> None:
        self.stance = stance

    def __call__(self, fn: T) -> T:
        return fn

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


class CompileCounter:
    """A backend that counts the functions that it is given to compile: none, as `compile` returns its argument.

    Attributes:
        frame_count: how many functions.
        op_count: how many ops they have.

    Example:
        >>> counter = CompileCounter()
        >>> counter.frame_count, counter.op_count
        (0, 0)
    """

    def __init__(self) -> None:
        self.clear()

    def __call__(self, gm: Any, example_inputs: Any) -> Callable[..., Any]:
        """Count the graph of a function, and return what runs it.

        Args:
            gm: the graph.
            example_inputs: its inputs.
        """
        self.frame_count += 1
        self.op_count += sum("call" in node.op for node in gm.graph.nodes)
        return gm.forward

    def clear(self) -> None:
        """Count from 0."""
        self.frame_count = self.op_count = 0
