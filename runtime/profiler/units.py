"""How times, sizes and counts are written in tables."""

from __future__ import annotations

TIME_UNITS = {"us": 1.0, "ms": 1e3, "s": 1e6}


def time_text(microseconds: float, unit: str | None = None) -> str:
    """A time, in the unit in which it is readable or in a given one of us, ms and s."""
    if unit is None:
        unit = "s" if abs(microseconds) >= 1e6 else "ms" if abs(microseconds) >= 1e3 else "us"
    return f"{microseconds / TIME_UNITS[unit]:.3f}{unit}"


def memory_text(size: float) -> str:
    """A number of bytes."""
    for unit, name in ((1024**3, "GB"), (1024**2, "MB"), (1024, "KB")):
        if abs(size) >= unit:
            return f"{size / unit:.2f} {name}"
    return f"{size:.0f} B"


def share_text(part: float, whole: float) -> str:
    """A part in percent of a whole."""
    return f"{100 * part / whole:.2f}%" if whole else "NaN"


def scale_of(largest: float) -> tuple[float, str]:
    """The power of 1000 in which counts up to `largest` are readable, and the letter for it."""
    for scale, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K")):
        if largest >= scale:
            return scale, letter
    return 1.0, ""
