"""Random number generators: counter-based (Philox), so a stream is fixed by its seed and a position in it."""

from __future__ import annotations

import contextlib
import operator
import secrets
from collections.abc import Iterator
from typing import Any

import numpy as np

from .errors import ArgumentError, type_name
from .locks import new_lock, remember
from .tensor import devices
from .tensor.base import adopt

_starting = new_lock()
_DEFAULT_SEED = 67280421310721  # PyTorch's: a process that never seeds draws the same numbers each time


class Generator:
    """A source of random numbers with a state of its own.

    Args:
        device: where the numbers are used.

    Example:
        >>> Generator().manual_seed(7).initial_seed()
        7
    """

    def __init__(self, device: devices.device | str | None = None) -> None:
        self.device = devices.resolve(device)
        self._seed = _DEFAULT_SEED
        self._rng: np.random.Generator | None = None

    @property
    def rng(self) -> np.random.Generator:
        """NumPy's generator over this stream: what kernels draw from."""
        rng = self._rng
        if rng is None:
            with _starting:  # threads that draw first at the same time draw from one stream
                rng = self._rng = self._rng or _drawing(np.random.Philox(key=self._seed))
        return rng

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream of `seed`, an int in [-2**63, 2**64); returns the generator."""
        self._seed = valid_seed(seed)
        self._rng = None
        return self

    def seed(self) -> int:
        """Start the stream of a seed drawn from the operating system, and return that seed."""
        return self.manual_seed(secrets.randbits(64)).initial_seed()

    def initial_seed(self) -> int:
        """The seed of the current stream."""
        return self._seed

    def get_state(self) -> Any:
        """The seed and the position in its stream, as a uint8 Tensor."""
        return adopt(self._state_words().view(np.uint8))

    def set_state(self, new_state: Any) -> None:
        """Go back to `new_state`, a state that `get_state` returned."""
        array = getattr(new_state, "array", None)
        if array is None or array.dtype != np.uint8:
            raise ArgumentError(f"set_state(): expected a uint8 Tensor, but got {type_name(new_state)}")
        expected = self._state_words().nbytes
        if array.shape != (expected,):
            found = list(array.shape)
            raise RuntimeError(f"set_state(): expected a state of size {expected}, but got shape {found}")
        self._restore(np.ascontiguousarray(array).view(np.uint64))

    def clone_state(self) -> Generator:
        """A generator that goes on from the same place, independently."""
        copy = Generator(self.device)
        copy._restore(self._state_words())
        return copy

    clone = clone_state

    def _state_words(self) -> np.ndarray:
        state: Any = self.rng.bit_generator.state
        position = [state["buffer_pos"], state["has_uint32"], state["uinteger"]]
        parts = [[self._seed], state["state"]["counter"], state["state"]["key"], state["buffer"], position]
        return np.concatenate([np.asarray(part, dtype=np.uint64) for part in parts])

    def _restore(self, words: np.ndarray) -> None:
        self._seed = int(words[0])
        philox = np.random.Philox(key=self._seed)
        philox.state = {
            "bit_generator": "Philox",
            "state": {"counter": words[1:5].copy(), "key": words[5:7].copy()},
            "buffer": words[7:11].copy(),
            "buffer_pos": int(words[11]),
            "has_uint32": int(words[12]),
            "uinteger": int(words[13]),
        }
        self._rng = _drawing(philox)

    def __getstate__(self) -> dict[str, Any]:
        return {"device": self.device, "words": self._state_words()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.device = state["device"]
        self._restore(state["words"])


def _drawing(philox: np.random.Philox) -> np.random.Generator:
    """NumPy's generator, which no fork finds locked."""
    remember(philox.lock)
    return np.random.Generator(philox)


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
    words = default_generator._state_words()
    try:
        yield
    finally:
        if enabled:
            default_generator._restore(words)
