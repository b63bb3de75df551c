"""Native code as the fast path. Its modules need the compiler: they are loaded when the first op asks."""

from __future__ import annotations

import functools

from .. import fast_path
from ..compiler.cache.precompile import begin_early
from ..compiler.passes.loading import load_compiler


@functools.cache
def supported() -> bool:
    """Whether native code runs here; its compiler is then loaded."""
    from .objects import layout

    if result := layout.supported():
        begin_early()
        load_compiler()
    return result


def native_path() -> fast_path.FastPath:
    if not supported():
        return fast_path.FastPath()
    from .native_path import NativePath

    return NativePath()


fast_path.register(native_path)
