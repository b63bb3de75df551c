"""The fast path: functions that take the call of an op, or give None so that the general path takes it.

`native/` registers itself when specgrad is imported, and nothing that is called from here imports it."""

import functools
from collections.abc import Callable
from typing import Any

from .locks import new_lock

Surround = Callable[[Any, str, Callable[..., Any]], Callable[..., Any]]


def not_handled(*arguments: Any) -> None:
    """The fast function of an op that has none: every call is for the general path."""


def no_native(_: Any, node: Any, gradient: Any) -> tuple[Any, Any]:
    """The walk through a graph where there is none: Python runs the node at which it stands."""
    return node, gradient


class FastPath:
    """Makes the fast functions, each when an op is first called. This one makes none."""

    def element_wise(self, op: Any, name: str) -> Callable[..., Any]:
        """`launch(*tensors, *numbers)`, `launch_in_place`, `launch_out(..., out)` or `gradients(node, gradient)`."""
        return not_handled

    def view(self, op: Any) -> Callable[..., Any]:
        return not_handled

    def kernel_op(self, op: Any, name: str) -> Callable[..., Any]:
        """`launch(*arguments)` or `launch_in_place` of an op with a kernel that has plans."""
        return not_handled

    def conversion(self, op: Any) -> Callable[..., Any]:
        """`launch(tensor, dtype)`"""
        return not_handled

    def planned_gradients(self, op: Any) -> Callable[..., Any]:
        return not_handled

    def creation(self, creation: Any) -> Callable[..., Any]:
        return not_handled

    def item_getter(self) -> Callable[..., Any]:
        """`getitem(x, key)`: a view that has been found before."""
        return not_handled

    def detacher(self) -> Callable[..., Any]:
        """`detach(x)`"""
        return not_handled

    def native_backward(self) -> Callable[..., Any]:
        """`walk(backward_pass, node, gradient)` runs nodes as long as it can; gives the one at which Python goes on."""
        return no_native

    def starter(self) -> Callable[..., Any]:
        """`start(tensor, retain_graph, create_graph, capture)`: True where the pass of one element has run."""
        return not_handled

    def launches_on_devices(self) -> Any:
        return None

    rows: Callable[..., Any] = staticmethod(not_handled)
    # For 16-bit floats: `singles`, bits of the results that are float32; `in_pairs`, whether pairs are multiplied.
    call_plan: Callable[..., Any] = staticmethod(not_handled)


class _Registered:
    make: Callable[[], FastPath] = FastPath
    launches: list[tuple[Any, str, Callable[..., Any]]] = []
    surround: Surround | None = None
    lock = new_lock()


def register(make: Callable[[], FastPath]) -> None:
    _Registered.make = make
    views.__dict__.clear()
    for cached in (fast_path, item_getter, detacher, native_backward, starter, launches_on_devices):
        cached.cache_clear()


@functools.cache
def fast_path() -> FastPath:
    return _Registered.make()


def keep_launch(op: Any, name: str, launch: Callable[..., Any]) -> Callable[..., Any]:
    """Make a fast function the attribute of its op; give the attribute."""
    with _Registered.lock:
        around = _Registered.surround
        _Registered.launches.append((op, name, launch))
        setattr(op, name, launch if around is None else around(op, name, launch))
    return getattr(op, name)


def surround_launches(around: Surround | None) -> None:
    """Let `around(op, name, launch)` stand for every fast function that computes an op; None puts these back."""
    with _Registered.lock:
        _Registered.surround = around
        for op, name, launch in _Registered.launches:
            setattr(op, name, launch if around is None else around(op, name, launch))
        item_getter.cache_clear()
        detacher.cache_clear()


class _Views:
    """The fast functions of `x[key]` and `x.detach()`, which are no generated ops."""

    def __getattr__(self, name: str) -> Any:
        if name not in ("item_getter", "detacher"):
            raise AttributeError(name)
        return keep_launch(self, name, getattr(fast_path(), name)())


views = _Views()


item_getter = functools.cache(lambda: views.item_getter)
detacher = functools.cache(lambda: views.detacher)


def _once(name: str) -> Any:
    return functools.cache(lambda: getattr(fast_path(), name)())


native_backward = _once("native_backward")
starter = _once("starter")
launches_on_devices = _once("launches_on_devices")
