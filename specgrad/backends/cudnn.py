"""cuDNN, which computes convolutions on CUDA devices where `nvidia-cudnn-frontend` is installed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from .switches import Cudnn

__all__ = ["flags", "is_available", "version"]

enabled: bool
benchmark: bool
deterministic: bool
allow_tf32: bool
sys.modules[__name__].__class__ = Cudnn


def is_available() -> bool:
    """Whether there is a CUDA device, and cuDNN's frontend is installed."""
    from ..runtime.device.cuda.driver import available

    return find_spec("cudnn") is not None and available()


def version() -> int | None:
    """The version of cuDNN as a number, 91002 for 9.10.2; None where it is not there."""
    if not is_available():
        return None
    import cudnn  # type: ignore[import-not-found]

    return int(cudnn.backend_version())


@contextmanager
def flags(
    enabled: bool = False, benchmark: bool = False, deterministic: bool = False, allow_tf32: bool = True
) -> Iterator[None]:
    """Set all switches for the time of a block.

    Args:
        enabled: whether cuDNN is asked at all.
        benchmark: kept; its heuristics choose among algorithms.
        deterministic: whether only algorithms are used that give the same bits each time.
        allow_tf32: whether convolutions of float32 may be computed in TF32.
    """
    module, arg = sys.modules[__name__], dict(locals())
    names = ("enabled", "benchmark", "deterministic", "allow_tf32")
    before = {name: getattr(module, name) for name in names}
    try:
        for name in names:
            setattr(module, name, arg[name])
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)
