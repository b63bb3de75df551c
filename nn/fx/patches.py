"""`wrap`, and what takes the place of functions and methods while a program is traced."""

import builtins
import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from ...runtime.methods import argument_guard
from ...runtime.tensor.overrides import public_functions
from .node_arguments import leaves
from .proxy import Proxy

_MISSING = object()


class Patcher:
    """A block: what was changed in it, in classes and dicts, is as before when it ends."""

    def __init__(self) -> None:
        self.changes: list[Callable[[], None]] = []

    def __enter__(self) -> "Patcher":
        return self

    def __exit__(self, *error: object) -> None:
        while self.changes:
            self.changes.pop()()

    def patch_item(self, table: dict[str, Any], name: str, value: Any) -> None:
        self._patch(table.get(name, _MISSING), partial(table.__setitem__, name), partial(table.__delitem__, name))
        table[name] = value

    def patch_attribute(self, owner: Any, name: str, value: Any) -> None:
        self._patch(vars(owner).get(name, _MISSING), partial(setattr, owner, name), partial(delattr, owner, name))
        setattr(owner, name, value)

    def _patch(self, before: Any, put: Callable[[Any], None], remove: Callable[[], None]) -> None:
        self.changes.append(remove if before is _MISSING else partial(put, before))

    def afterwards(self, function: Callable[[], None]) -> None:
        self.changes.append(function)


_LAYERS = __name__.partition(".")[0] + ".nn.modules."
_wrapped: dict[tuple[int, str], dict[str, Any]] = {}  # the globals in which a name is wrapped


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """Let calls of a function of this module, or of a builtin, become nodes; gives the argument back.

    It stands where the module's functions are defined, as a call or as a decorator.

    Args:
        fn_or_name: the function, or the name that the module has for it.

    Raises: NotImplementedError: it is not called at the top level of a module.

    Example:
        >>> sg.fx.wrap("len")
        'len'
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = sys._getframe(1)
    while frame.f_code in argument_guard.guards and frame.f_back is not None:
        frame = frame.f_back
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped[id(frame.f_globals), name] = frame.f_globals
    return fn_or_name


def patch_wrapped(patcher: Patcher) -> None:
    for (_, name), space in list(_wrapped.items()):
        original = space.get(name, getattr(builtins, name, None))
        if original is not None and not hasattr(original, "_fx_recording"):
            patcher.patch_item(space, name, recording(original))


def patch_layers(patcher: Patcher) -> None:
    """Let the files of layers, which call functions without looking at arguments first, call those that look."""
    files = [vars(module) for name, module in list(sys.modules.items()) if name.startswith(_LAYERS)]
    for function, public in list(public_functions.items()):
        name: str = function.__name__
        for space in files:
            if space.get(name) is function:
                patcher.patch_item(space, name, public)


def recording(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = first_proxy(args, kwargs)
        if proxy is None:
            return original(*args, **kwargs)
        return proxy.tracer.create_proxy("call_function", original, args, kwargs)

    wrapped._fx_recording = True  # type: ignore[attr-defined]
    return wrapped


def first_proxy(args: Any, kwargs: Any) -> Proxy | None:
    return next((item for item in leaves((tuple(args), dict(kwargs))) if isinstance(item, Proxy)), None)
