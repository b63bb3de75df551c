"""Which thread launches, and where: written after launches of Python's, wiped when a thread goes to another stream."""

from __future__ import annotations

from ...kernels.llvm.native_code.structs import Items
from ...kernels.llvm.native_code.typed import NULL, New, atomic_xchg, native
from .. import c_functions as c
from ..layout import Array, Object
from ..references import retain
from ..tensors import not_handled
from .layout import launcher


@native
def enter(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """enter(device, stream, handle, driver, entry): launches of this thread are for these, as `Launcher` has them."""
    before = atomic_xchg(launcher, "device", retain(arguments[0]))
    launcher.stream = c.as_int(arguments[1])
    launcher.handle = c.as_int(arguments[2])
    launcher.driver = c.as_int(arguments[3])
    launcher.entry = c.as_int(arguments[4])
    launcher.thread = c.thread_number(c.thread_state())
    if before is not NULL:
        c.release(before)
    return not_handled()


@native
def leave(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """leave(): no thread launches; the next launch is Python's."""
    launcher.thread = 0
    return not_handled()
