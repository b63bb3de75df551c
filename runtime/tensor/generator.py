"""Random number generators: a stream of words that is fixed by its seed, and a position in it."""

import contextlib
import operator
import secrets
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..device import device as devices
from ..errors import ArgumentError, type_name
from ..locks import new_lock
from .tensor import adopt

__all__ = ["Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]

_moving = new_lock()  # of all generators: it is held for some ten instructions
_DEFAULT_SEED = 67280421310721  # PyTorch's: a process that never seeds draws the same numbers each time
_VERSION = 2  # of states: this number, the seed and the position
_LENGTH = 3
_OLD_LENGTH = 14  # of states of version 1, which NumPy's generator had
_END = 2**62  # of the words of a stream


def _advanced(seed_and_offset: np.ndarray, count: int) -> int:
    offset = int(seed_and_offset[1])
    seed_and_offset[1] = offset + count
    return offset


_advance: list[Callable[[np.ndarray, int], int]] = [_advanced]  # the last is in use


def advance_by(function: Callable[[np.ndarray, int], int]) -> None:
    """Let native code do what `_advanced` does, in one step for all threads of Python, where it draws itself."""
    with _moving:
        _advance.append(function)


class Generator:
    """A source of random numbers with a state of its own.

    Its stream is that of the words of Philox4x64-10 whose key is the seed: the same on every device. A draw takes the
    words that follow those of the draw before, one for each element, or one for two elements of float32; each element
    is computed from its own word.

    Args:
        device: where the numbers are used.

    Example:
        >>> Generator().manual_seed(7).initial_seed()
        7
    """

    __slots__ = ("__dict__", "__weakref__", "_seed_and_offset", "device")

    def __init__(self, device: devices.device | str | None = None) -> None:
        self.device = devices.resolve(device)
        self._go_to(_DEFAULT_SEED, 0)

    def take(self, count: int) -> tuple[int, int]:
        """The seed, as a signed integer, and the first of the next `count` words, which nobody else gets."""
        with _moving:
            seed_and_offset = self._seed_and_offset
            offset = _advance[-1](seed_and_offset, count)
        return int(seed_and_offset[0]), offset

    def manual_seed(self, seed: int) -> "Generator":
        """Start the stream of `seed`, an int in [-2**63, 2**64); returns the generator."""
        self._go_to(valid_seed(seed), 0)
        return self

    def seed(self) -> int:
        """Start the stream of a seed drawn from the operating system, and return that seed."""
        return self.manual_seed(secrets.randbits(64)).initial_seed()

    def initial_seed(self) -> int:
        """The seed of the current stream."""
        return int(self._seed_and_offset[0]) % 2**64

    def get_state(self) -> Any:
        """The seed and the position in its stream, as a uint8 Tensor."""
        return adopt(self._state_slots().view(np.uint8))

    def set_state(self, new_state: Any) -> None:
        """Go back to `new_state`, a state that `get_state` returned.

        Of a state that was saved when NumPy drew the numbers, seed and position in the words are taken over."""
        array = getattr(new_state, "array", None)
        if array is None or array.dtype != np.uint8:
            raise ArgumentError(f"set_state(): expected a uint8 Tensor, but got {type_name(new_state)}")
        if array.shape not in ((8 * _LENGTH,), (8 * _OLD_LENGTH,)):
            matches = list(array.shape)
            raise RuntimeError(f"set_state(): expected a state of size {8 * _LENGTH}, but got shape {matches}")
        self._restore(np.ascontiguousarray(array).view(np.uint64))

    def clone_state(self) -> "Generator":
        """A generator that goes on from the same place, independently."""
        copy = Generator(self.device)
        copy._restore(self._state_slots())
        return copy

    clone = clone_state

    def _state_slots(self) -> np.ndarray:
        seed, offset = self._seed_and_offset.tolist()
        return np.array([_VERSION, seed % 2**64, offset], np.uint64)

    def _restore(self, state: np.ndarray) -> None:
        self._go_to(*(_old_position(state) if state.size == _OLD_LENGTH else _position(state)))

    def _go_to(self, seed: int, offset: int) -> None:
        signed = seed if seed < 2**63 else seed - 2**64
        self._seed_and_offset = np.array([signed, offset], np.int64)  # a new one: others see both change at once

    def __getstate__(self) -> dict[str, Any]:
        return {"device": self.device, "words": self._state_slots()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.device = state["device"]
        self._restore(state["words"])


def _position(state: np.ndarray) -> tuple[int, int]:
    version, seed, offset = state.tolist()
    if version != _VERSION:
        raise RuntimeError(f"set_state(): expected a state of version {_VERSION}, but got version {version}")
    return seed, _checked(offset)


def _old_position(state: np.ndarray) -> tuple[int, int]:
    """Those of NumPy's generator: four words of a block are made at once, `used` of which have been drawn."""
    seed, counter, key, used = (int(state[i]) for i in (0, 1, 5, 11))
    if key != seed or used > 4 or state[2:5].any():
        raise RuntimeError(f"set_state(): expected a state of version {_VERSION}, or one of NumPy's Philox")
    return seed, _checked(max(4 * counter + used - 4, 0))


def _checked(offset: int) -> int:
    if offset >= _END:
        raise RuntimeError(f"set_state(): expected a position below 2**62, but got {offset}")
    return offset


def valid_seed(seed: Any) -> int:
    try:
        value = int(seed) if isinstance(seed, (float, np.floating)) else operator.index(seed)
    except TypeError:
        raise ArgumentError(f"manual_seed(): argument 'seed' must be int, not {type_name(seed)}") from None
    except (ValueError, OverflowError):
        raise ValueError(f"manual_seed(): expected a finite seed, but got {seed}") from None
    if not -(2**63) <= value < 2**64:
        raise ValueError(f"manual_seed(): expected a seed in [-2**63, 2**64 - 1], but got {value}")
    return value % 2**64


default_generator = Generator()


def manual_seed(seed: int) -> Generator:
    """Seed the default generator, which ops use when no generator is given.

    Args:
        seed: an int in [-2**63, 2**64).

    Returns:
        The default generator.

    Raises:
        ValueError: the seed is outside that range.

    Example:
        >>> import specgrad as sg
        >>> first, second = (sg.manual_seed(0) and sg.rand(3) for _ in range(2))
        >>> sg.equal(first, second)
        True
    """
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seed the default generator from the operating system, and return the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """The state of the default generator, as a uint8 Tensor."""
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Set the state of the default generator.

    Args:
        new_state: what `get_rng_state` returned.

    Example:
        >>> import specgrad as sg
        >>> state = sg.get_rng_state()
        >>> first = sg.rand(3)
        >>> sg.set_rng_state(state)
        >>> sg.equal(first, sg.rand(3))
        True
    """
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, *, device_type: str = "cuda") -> Iterator[None]:
    """Give the default generator its state back when the block ends.

    Args:
        devices: accelerators whose generators PyTorch would give back, too; here all draw from the default generator.
        device_type: the kind of these accelerators, with no effect.
        enabled: False lets the block use up the default generator as if it were not forked.

    Example:
        >>> import specgrad as sg
        >>> with sg.random.fork_rng():
        ...     inside = sg.rand(3)
        >>> sg.equal(inside, sg.rand(3))
        True
    """
    state = default_generator._state_slots()
    try:
        yield
    finally:
        if enabled:
            default_generator._restore(state)
