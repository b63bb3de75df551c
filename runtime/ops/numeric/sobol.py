"""Sobol' sequences: points that fill the unit cube more evenly than random ones.

Point n is the sum without carries of one direction number for each bit of n's Gray code, so neighbouring points differ
by one of them. They are those of S. Joe and F. Kuo (SIAM J. Sci. Comput. 30, 2008), which SciPy has.
"""

from typing import Any

import numpy as np

from ...dispatch import argument_checks
from ...namespace import op
from ...tensor.dtypes import get_default_dtype, uint8
from ...tensor.generator import Generator
from ...tensor.tensor import adopt, host_array

_BITS = 30
_MAX_CACHED = 21201  # dimensions for which there are numbers


class SobolEngine:
    """Points of the Sobol' sequence in the unit cube [0, 1)^dimension, one after the other.

    Args:
        dimension: how many coordinates a point has, at most 21201.
        scramble: whether digits are permuted at random, by triangular matrices and a shift (J. Matousek, 1998).
        seed: the seed of these random numbers; they come from the default generator where there is none.

    Raises:
        ValueError: another dimension.

    Example:
        >>> import specgrad as sg
        >>> engine = sg.quasirandom.SobolEngine(2)
        >>> engine.draw(4)
        tensor([[0.0000, 0.0000],
                [0.5000, 0.5000],
                [0.7500, 0.2500],
                [0.2500, 0.7500]])
    """

    MAXBIT = _BITS
    MAXDIM = _MAX_CACHED

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        from scipy.stats import qmc  # loaded when the first engine is made

        count = argument_checks.integer("SobolEngine", "dimension", dimension)
        if not 1 <= count <= _MAX_CACHED:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {_MAX_CACHED}]")
        self.dimension = count
        self.scramble = argument_checks.boolean("SobolEngine", "scramble", scramble)
        self.seed = argument_checks.optional_integer("SobolEngine", "seed", seed)
        self.num_generated = 0
        # as SciPy's engine has them, `_BITS` for each dimension: no public name gives more than its points
        self._numbers = qmc.Sobol(count, scramble=False, bits=_BITS)._sv.astype(np.int64)
        self._shift = np.zeros(count, np.int64)
        if self.scramble:
            self._scramble()

    @property
    def sobolstate(self) -> Any:
        """The direction numbers: `MAXBIT` integers for each dimension."""
        return adopt(self._numbers.copy())

    @property
    def shift(self) -> Any:
        """What is added to each point without carries: zeros unless scrambled."""
        return adopt(self._shift.copy())

    @property
    def quasi(self) -> Any:
        """The last point that was drawn, in integers of `MAXBIT` bits."""
        return adopt(self._point(max(self.num_generated - 1, 0)))

    def draw(self, n: int = 1, out: Any = None, dtype: Any = None) -> Any:
        """The next `n` points, of shape (n, dimension), in `dtype` or the default one; written to `out` where given."""
        count = argument_checks.integer("SobolEngine.draw", "n", n)
        kind = argument_checks.optional_dtype("SobolEngine.draw", "dtype", dtype) or get_default_dtype()
        first, self.num_generated = self.num_generated, self.num_generated + count
        points = adopt(self._points(first, count)).to(kind) * (1 / 2**_BITS)
        return points if out is None else out.resize_(points.shape).copy_(points)

    def draw_base2(self, m: int, out: Any = None, dtype: Any = None) -> Any:
        """The next 2^m points, as `draw(2**m, out, dtype)`; a ValueError unless all points are then a power of 2."""
        n = 2 ** argument_checks.integer("SobolEngine.draw_base2", "m", m)
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: "
                f"n={self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                "'SobolEngine.draw()' instead."
            )
        return self.draw(n, out, dtype)

    def reset(self) -> "SobolEngine":
        """Begin again with the first point."""
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> "SobolEngine":
        """Leave out the next `n` points."""
        self.num_generated += argument_checks.integer("SobolEngine.fast_forward", "n", n)
        return self

    def _point(self, index: int) -> np.ndarray:
        gray = index ^ (index >> 1)
        chosen = [bit for bit in range(_BITS) if gray >> bit & 1]
        return np.bitwise_xor.reduce(self._numbers[:, chosen], axis=1, initial=0) ^ self._shift

    def _points(self, first: int, count: int) -> np.ndarray:
        """Points `first`, `first + 1`, ...: each differs from the one before by the number of its lowest bit."""
        if first + count > 2**_BITS:
            raise ValueError(
                f"SobolEngine.draw(): there are {2**_BITS} points, but point {first + count} was asked for"
            )
        if not count:
            return np.empty((0, self.dimension), np.int64)
        index = np.arange(first + 1, first + count)
        lowest = np.bitwise_count((index & -index) - 1)
        changes = np.concatenate([self._point(first)[None], self._numbers.T[lowest]])
        return np.bitwise_xor.accumulate(changes, axis=0)

    def _scramble(self) -> None:
        """Each digit becomes a sum, modulo 2, of itself, of some digits before it, and of a random one."""
        stream = None if self.seed is None else Generator().manual_seed(self.seed)

        def digits(*size: int) -> np.ndarray:
            return host_array(op.randint(2, size, dtype=uint8, generator=stream)).astype(np.int64)

        worth = 1 << np.arange(_BITS - 1, -1, -1)
        self._shift = digits(self.dimension, _BITS) @ worth
        sums = np.tril(digits(self.dimension, _BITS, _BITS), -1) @ worth + worth
        mixed = np.zeros_like(self._numbers)
        for position in range(_BITS):
            mixed += (np.bitwise_count(self._numbers & sums[:, position, None]) & 1) * worth[position]
        self._numbers = mixed

    def __repr__(self) -> str:
        fields = [f"dimension={self.dimension}"]
        fields += ["scramble=True"] if self.scramble else []
        fields += [] if self.seed is None else [f"seed={self.seed}"]
        return f"SobolEngine({', '.join(fields)})"
