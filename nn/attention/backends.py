"""PyTorch's kernels of attention, which programs choose among; here there is one, whatever is chosen."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum

from ...runtime.extensions.torch_compat.cpu_streams import allowed

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(IntEnum):
    """PyTorch's kernels of attention."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


_SWITCHES = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "math": SDPBackend.MATH,
    "mem_efficient": SDPBackend.EFFICIENT_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
}


@contextmanager
def sdpa_kernel(backends: Sequence[SDPBackend] | SDPBackend, set_priority: bool = False) -> Iterator[None]:
    """A block in which PyTorch would use only some kernels of attention.

    The switches of `backends.cuda` say in the block what was chosen. Nothing else depends on it: the one kernel there
    is keeps no matrix of all scores, has sums in float32 or wider, and takes all masks.

    Args:
        backends: the kernels.
        set_priority: whether their order counts.

    Raises: AssertionError: what is given are no kernels.

    Example:
        >>> from specgrad.nn.attention import SDPBackend, sdpa_kernel
        >>> with sdpa_kernel(SDPBackend.MATH):
        ...     sg.backends.cuda.flash_sdp_enabled()
        False
    """
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(chosen, (list, tuple, set)) or not all(isinstance(one, SDPBackend) for one in chosen):
        raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    before = dict(allowed)
    try:
        allowed.update({name: backend in chosen for name, backend in _SWITCHES.items()})
        yield
    finally:
        allowed.update(before)
