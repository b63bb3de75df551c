"""Text of tensors, laid out as PyTorch lays it out: common width, four digits, long tensors summarised."""

from dataclasses import dataclass, fields
from math import isfinite
from typing import Any

import numpy as np

from ..tensor.dtypes import bool_, get_default_dtype, int64
from ..tensor.overrides import overrides
from ..tensor.tensor import MAX_DIMS, number_array


@dataclass
class PrintOptions:
    """Options of printing tensors; `sci_mode` None chooses scientific notation by the range of the values."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=float("inf")),
}
PRINT_OPTS = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors are printed.

    Args:
        precision: digits after the point (4).
        threshold: tensors of more elements are summarised (1000).
        edgeitems: how many items a summary shows at each end of a dimension (3).
        linewidth: characters in a line (80).
        profile: "default", "short" or "full": sets all of the above first.
        sci_mode: scientific notation always (True), never (False), or by the range of the values (None).

    Raises:
        ValueError: an unknown profile.

    Example:
        >>> import specgrad as sg
        >>> sg.set_printoptions(precision=2)
        >>> sg.tensor([1 / 3])
        tensor([0.33])
        >>> sg.set_printoptions(profile="default")
    """
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"set_printoptions(): profile must be one of {', '.join(_PROFILES)}, not {profile!r}")
        for field in fields(PrintOptions):
            if field.name != "sci_mode":
                setattr(PRINT_OPTS, field.name, getattr(_PROFILES[profile], field.name))
    arguments = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    for name, value in arguments.items():
        if value is not None:
            setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode


class _NumberFormat:
    def __init__(self, values: np.ndarray) -> None:
        self.is_float = values.dtype.kind == "f"
        self.is_integral, self.is_scientific, self.width = True, False, 1
        shown = values.reshape(-1)
        if self.is_float:
            shown = shown[np.isfinite(shown) & (shown != 0)]
            if shown.size:
                magnitudes = np.abs(shown.astype(np.float64))
                low, high = float(magnitudes.min()), float(magnitudes.max())
                self.is_integral = bool((shown == np.ceil(shown)).all())
                wide = high > low * 1000.0 or high > 1e8 or low < 1e-4
                self.is_scientific = wide if PRINT_OPTS.sci_mode is None else PRINT_OPTS.sci_mode
        self.width = max((len(self._formatted(x)) for x in shown.tolist()), default=1)

    def _formatted(self, value: Any) -> str:
        if not self.is_float:
            return f"{value}"
        if self.is_scientific:
            return f"{value:.{PRINT_OPTS.precision}e}"
        if self.is_integral:
            return f"{value:.0f}" + ("." if isfinite(value) else "")
        return f"{value:.{PRINT_OPTS.precision}f}"

    def text(self, value: Any) -> str:
        return self._formatted(value).rjust(self.width)


class _ComplexFormat:
    def __init__(self, values: np.ndarray) -> None:
        self.real, self.imaginary = _NumberFormat(values.real), _NumberFormat(values.imag)
        self.width = self.real.width + self.imaginary.width + 1

    def text(self, value: complex) -> str:
        imaginary = self.imaginary.text(value.imag).lstrip()
        return f"{self.real.text(value.real)}{'' if imaginary[0] in '+-' else '+'}{imaginary}j"


def _printable(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.kind in "bifcu" else array.astype(np.float32)


def _edges(array: np.ndarray) -> np.ndarray:
    edge = PRINT_OPTS.edgeitems
    shown_indices = [range(n) if n <= 2 * edge else [*range(edge), *range(n - edge, n)] for n in array.shape]
    return array[np.ix_(*shown_indices)]


def _layout(array: np.ndarray, fmt: _NumberFormat | _ComplexFormat, indent: int, summarise: bool) -> str:
    if array.ndim == 0:
        return fmt.text(_printable(array).item())
    edge = PRINT_OPTS.edgeitems
    is_long = summarise and len(array) > 2 * edge
    ends = (array[:edge], array[len(array) - edge :]) if is_long else (array,)
    if array.ndim == 1:
        parts = [[fmt.text(value) for value in _printable(end).tolist()] for end in ends]
        return _wrap(_merged_lines(parts, " ..."), fmt.width + 2, indent)
    blocks = [[_layout(row, fmt, indent + 1, summarise) for row in end] for end in ends]
    separator = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
    return f"[{separator.join(_merged_lines(blocks, '...'))}]"


def _merged_lines(parts: list[list[str]], dots: str) -> list[str]:
    return parts[0] if len(parts) == 1 else [*parts[0], dots, *parts[1]]


def _wrap(items: list[str], item_width: int, indent: int) -> str:
    per_line = max(1, (PRINT_OPTS.linewidth - indent) // item_width)
    lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _suffixes(tensor: Any) -> list[str]:
    matches = []
    if tensor.device.type != "cpu":
        matches.append(f"device='{tensor.device}'")
    default = get_default_dtype()
    obvious: tuple[Any, ...] = (default, int64, bool_, default.to_complex())
    if tensor.is_meta:
        obvious = (default,)
        matches.append(f"size={tuple(tensor.shape)}")
    elif len(tensor.shape) > MAX_DIMS:
        matches.append(f"size={tuple(tensor.shape)}")
    elif tensor.numel() == 0:
        obvious = (default,)
        if tensor.ndim != 1:
            matches.append(f"size={tuple(tensor.shape)}")
    if tensor.dtype not in obvious:
        matches.append(f"dtype={tensor.dtype}")
    return matches + history_of(tensor)


def history_of(tensor: Any) -> list[str]:
    try:
        history = "" if tensor.grad_fn is None else tensor.grad_fn.name()
    except RuntimeError:  # a view whose memory was written to: see autograd/view_history.py
        history = "Invalid"
    return [f"grad_fn=<{history}>"] if history else ["requires_grad=True"] * tensor.requires_grad


def to_repr(tensor: Any) -> str:
    """The text of a tensor, as `repr` and `str` give it."""
    name = type(tensor).__name__ if overrides(type(tensor)) else "tensor"
    indent = len(name) + 1
    text = f"{name}(" + ("..." if tensor.is_meta else format_numbers(number_array(tensor), indent))
    return with_suffixes(text, _suffixes(tensor), indent, False)


def with_suffixes(text: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """`text` has no closing bracket; `indent`: where a new line begins; `force_newline`: before the first suffix."""
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if force_newline or column + len(suffix) + 2 > PRINT_OPTS.linewidth:
            text += ",\n" + " " * indent + suffix
            column, force_newline = indent + len(suffix), False
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"


def numbers(self: Any, indent: int) -> str:
    """The numbers of a tensor `self` in brackets, its rows `indent` places from the margin."""
    return format_numbers(number_array(self), indent)


def format_numbers(array: np.ndarray, indent: int) -> str:
    if array.size == 0:
        return "[]"
    summarise = array.size > PRINT_OPTS.threshold
    shown = _printable(_edges(array) if summarise else array)
    fmt = _ComplexFormat(shown) if array.dtype.kind == "c" else _NumberFormat(shown)
    return _layout(array, fmt, indent, summarise)
