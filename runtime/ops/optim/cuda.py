"""Update rules of optimizers, and changes of gradients, on a device: what one launch computes of several tensors."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from ...device.cuda.array import DeviceArray
from ...kernels.cuda.kernel import Target
from ...kernels.cuda.multi_tensor import Change, scalar
from ...kernels.cuda_launch.multi_tensor import by_kind, change, change_and_count
from . import rules

# Texts name these; a kernel has its own in their place.
element: Any = None
uphill: Any = None


def step_of(values: Any, numbers: Any) -> Any:
    g = uphill(values[1], values[0], numbers[0], numbers[1])
    return element(values[0], g, *values[2:], *numbers[2:])


@cache
def change_of(name: str, arrays: int) -> Change:
    """The change that a rule of `rules.py` makes to a parameter and its estimates; the gradient stays as it is. The
    first numbers are the sign and the weight decay of `uphill`, and so are the first settings."""
    rule = getattr(rules, name)

    def compute(target: Target) -> Any:
        return target.device(step_of, uphill=scalar(target, rules.uphill), element=scalar(target, rule))

    written = (True, False, *[True] * (arrays - 2))
    return Change(compute, written, getattr(rules, f"{name}_numbers"), getattr(rules, f"{name}_counts", None))


def clipped(values: Any, numbers: Any) -> Any:
    x = values[0]
    return (numbers[0] if x < numbers[0] else numbers[1] if x > numbers[1] else x,)


def scaled(values: Any, numbers: Any) -> Any:
    return (values[0] * numbers[2],)


def share(norm: Any, max_norm: Any) -> Any:
    """The factor that makes a norm no greater than `max_norm`; of nan nan."""
    factor = max_norm / (norm + 1e-6)
    return (1.0 if factor > 1.0 else factor,)


CLIP = Change(lambda target: target.device(clipped), (True,))
SCALE = Change(lambda target: target.device(scaled), (True,), share)


def clip_all(arrays: Iterable[DeviceArray], low: float, high: float) -> None:
    for same in by_kind(arrays):
        change(CLIP, [(array,) for array in same], (low, high))


def shrink_all(arrays: Iterable[DeviceArray], norm: DeviceArray, max_norm: float) -> None:
    """Scale flat arrays by most / norm, where that is below one; `norm` is read on the device."""
    for same in by_kind(arrays):
        change_and_count(SCALE, [(array,) for array in same], [()] * len(same), norm, (0.0, 0.0, max_norm))
