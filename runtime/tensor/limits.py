"""`finfo` and `iinfo`: the numeric limits of dtypes."""

from __future__ import annotations

import ml_dtypes

from .dtypes import dtype, get_default_dtype


class finfo:
    """Limits of a floating-point dtype (of the parts of a complex one).

    Args:
        type: the dtype; the default dtype when not given.

    Attributes:
        bits: size of a number.
        eps: the distance from 1 to the next larger number.
        max, min: the greatest number, and its negative.
        tiny, smallest_normal: the least positive number of full precision.
        resolution: the decimal precision, 10^-digits.

    Raises:
        TypeError: the dtype is bool or integer.

    Example:
        >>> import specgrad as sg
        >>> sg.finfo(sg.float32).eps
        1.1920928955078125e-07
    """

    __slots__ = ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype")

    def __init__(self, type: dtype | None = None) -> None:
        chosen = get_default_dtype() if type is None else type
        if not isinstance(chosen, dtype) or chosen.kind not in "fc":
            raise TypeError(f"finfo(): expected a floating point dtype, got {chosen!r}. Use iinfo for integers")
        info = ml_dtypes.finfo(chosen.to_real().np)
        self.bits = int(info.bits)
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = float(f"1e-{info.precision}")
        self.dtype = chosen.to_real().name

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{n}={getattr(self, n):g}' for n in names)}, dtype={self.dtype})"


class iinfo:
    """Limits of an integer dtype.

    Args:
        type: the dtype.

    Attributes:
        bits: size of a number.
        max, min: the greatest and the least number.

    Raises:
        TypeError: the dtype is no integer one.

    Example:
        >>> import specgrad as sg
        >>> sg.iinfo(sg.int8).max
        127
    """

    __slots__ = ("bits", "max", "min", "dtype")

    def __init__(self, type: dtype) -> None:
        if not isinstance(type, dtype) or type.kind != "i":
            raise TypeError(f"iinfo(): expected an integer dtype, got {type!r}. Use finfo for floating point")
        info = ml_dtypes.iinfo(type.np)
        self.bits = int(info.bits)
        self.max, self.min = int(info.max), int(info.min)
        self.dtype = type.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
