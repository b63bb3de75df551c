"""The HTML of tensors, modules, datasets and data loaders: what `_repr_html_` gives to a notebook.

Everything is bounded: a table has at most `MAX_ROWS` rows, a picture `MAX_PIXELS` in each dimension. Showing an object
changes nothing: it draws no random numbers, and begins no iterator."""

import base64
import random
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from ...extension_points import fill
from ...tensor.generator import fork_rng
from ...tensor.memory_format import strided
from ...tensor.overrides import known
from ...tensor.tensor import TensorBase, number_array

MAX_ROWS = 200
MAX_PIXELS = 64
SHOWN_WIDTH = 192  # pixels of a page for the longer side of a picture
_UNITS = "kB", "MB", "GB", "TB"
_NEGATIVE, _ZERO, _POSITIVE, _NOT_A_NUMBER = (33, 102, 172), (247, 247, 247), (178, 24, 43), (255, 200, 0)


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """All texts are escaped here."""
    lines = list(rows)
    more = [(f"... and {len(lines) - MAX_ROWS} more", *[""] * (len(header) - 1))] if len(lines) > MAX_ROWS else []
    cells = "".join(_row("td", line) for line in [*lines[:MAX_ROWS], *more])
    head = f"<thead>{_row('th', header)}</thead>" if header else ""
    return f"<table><caption>{escape(caption)}</caption>{head}<tbody>{cells}</tbody></table>"


def _row(kind: str, cells: Iterable[Any]) -> str:
    start = f'<{kind} style="text-align: left">'
    return f"<tr>{''.join(f'{start}{escape(str(cell))}</{kind}>' for cell in cells)}</tr>"


def written_bytes(count: float) -> str:
    if count < 1000:
        return f"{count} B"
    for unit in _UNITS:
        count /= 1000
        if count < 999.95 or unit == _UNITS[-1]:
            break
    return f"{count:.1f} {unit}"


# ---- tensors ---------------------------------------------------------------------------------------------------------


def tensor_html(tensor: Any) -> str:
    """The text of the values, and of a matrix a picture."""
    text = f"<pre>{escape(repr(tensor))}</pre>"
    if not has_picture(tensor):
        return text
    values = picture_values(number_array(tensor))
    return f"{text}{image(values)}<div><small>{escape(_caption(tensor, values))}</small></div>"


def has_picture(tensor: Any) -> bool:
    """Whether it is a dense matrix of numbers that are there."""
    if type(tensor) not in known or tensor._vmap_level is not None or tensor.layout is not strided or tensor.is_meta:
        return False
    return tensor.ndim == 2 and min(tensor.shape) > 1


def picture_values(array: np.ndarray) -> np.ndarray:
    """At most `MAX_PIXELS` rows and columns at equal distances; of complex numbers the absolute values."""
    rows, columns = (np.linspace(0, size - 1, min(size, MAX_PIXELS)).astype(np.int64) for size in array.shape)
    chosen = array[np.ix_(rows, columns)]
    numbers = np.abs(chosen) if chosen.dtype.kind == "c" else chosen
    return numbers.astype(np.float64)


def _caption(tensor: Any, values: np.ndarray) -> str:
    finite = values[np.isfinite(values)]
    extent = f", {finite.min():.4g} (blue) to {finite.max():.4g} (red)" if finite.size else ""
    absolute = ", absolute values" if tensor.is_complex() else ""
    sampled = f", {values.shape[0]} x {values.shape[1]} of its elements" if values.size < tensor.numel() else ""
    return f"{' x '.join(map(str, tensor.shape))}{absolute}{extent}{sampled}"


def image(values: np.ndarray) -> str:
    """An HTML image of a matrix: blue below, red above the center, which is 0 where there are numbers on both sides."""
    data = base64.b64encode(png(colors(values))).decode("ascii")
    scale = SHOWN_WIDTH / max(values.shape)
    height, width = (max(1, round(size * scale)) for size in values.shape)
    style = "image-rendering: pixelated; border: 1px solid #ccc"
    return f'<img alt="" width="{width}" height="{height}" style="{style}" src="data:image/png;base64,{data}">'


def colors(values: np.ndarray) -> np.ndarray:
    """Red, green and blue of each element; infinities have those of the extremes."""
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    center = 0.0 if low <= 0 <= high else low / 2 + high / 2
    half_range = max(high - center, center - low) or 1.0
    with np.errstate(invalid="ignore", over="ignore"):
        position = np.clip((values - center) / half_range, -1, 1)[..., None]
    ends = np.where(position < 0, np.array(_NEGATIVE), np.array(_POSITIVE))
    mixed = np.array(_ZERO) * (1 - np.abs(position)) + ends * np.abs(position)
    return np.where(np.isnan(values)[..., None], np.array(_NOT_A_NUMBER), mixed).astype(np.uint8)


def png(pixels: np.ndarray) -> bytes:
    """The file of a picture of 8-bit colors: see https://www.w3.org/TR/png."""
    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, colors, no interlacing
    chunks = _chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(lines)), _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


# ---- modules ---------------------------------------------------------------------------------------------------------


def module_html(module: Any) -> str:
    """A row for each layer with its own parameters and buffers; one that several layers share counts in the first."""
    counted: set[int] = set()
    rows, parameters, size = [], 0, 0
    for name, layer in module.named_modules():
        shapes, own, own_size = _tensors_of(layer, counted)
        parameters, size = parameters + own, size + own_size
        if shapes or not layer._modules:
            figures = f"{own:,}" if own else "", written_bytes(own_size) if own_size else ""
            rows.append((name, type(layer).__name__, shapes, *figures))
    caption = f"{type(module).__name__}: {parameters:,} parameters, {written_bytes(size)}"
    text = f"<details><summary>as text</summary><pre>{escape(repr(module))}</pre></details>"
    return table(caption, ("name", "layer", "shape", "parameters", "bytes"), rows) + text


def _tensors_of(layer: Any, counted: set[int]) -> tuple[str, int, int]:
    """Shapes, elements of parameters, and bytes of parameters and buffers."""
    shapes, count, size = [], 0, 0
    own = [*((n, t, True) for n, t in layer._parameters.items()), *((n, t, False) for n, t in layer._buffers.items())]
    for name, tensor, is_parameter in own:
        if tensor is None:
            continue
        shape = shape_of(tensor)
        shapes.append(f"{name} {shape}" if id(tensor) not in counted else f"{name} {shape}, shared")
        if id(tensor) not in counted and not is_lazy(tensor):
            counted.add(id(tensor))
            count += tensor.numel() * is_parameter
            size += tensor.numel() * tensor.element_size()
    return ", ".join(shapes), count, size


def is_lazy(tensor: Any) -> bool:
    """Whether a parameter waits for a first input to get its shape."""
    return hasattr(tensor, "materialize")


def shape_of(tensor: Any) -> str:
    return "(not known yet)" if is_lazy(tensor) else str(tuple(tensor.shape))


# ---- datasets and loaders --------------------------------------------------------------------------------------------


def data_html(data: Any) -> str:
    """What a dataset or a loader holds."""
    rows = [(name, value) for name, value in _described(data) if value not in (None, "")]
    return table(type(data).__name__, (), rows)


def _described(data: Any) -> Iterator[tuple[str, Any]]:
    is_loader = hasattr(data, "batch_sampler")
    dataset = data.dataset if is_loader else data
    if is_loader:
        yield "dataset", type(dataset).__name__
        yield "batches", length_of(data)
        yield "batch size", data.batch_size
        yield "sampler", type(data.sampler).__name__.lstrip("_")
        yield "workers", data.num_workers or None
    yield "samples", length_of(dataset)
    yield "first sample", first_sample(dataset)


def length_of(data: Any) -> int | None:
    """None where it does not say."""
    try:
        return len(data)
    except (TypeError, NotImplementedError, AttributeError):
        return None


def first_sample(dataset: Any) -> str:
    """Shapes and dtypes of sample 0; nothing of what can only be iterated, or has no such sample."""
    if not hasattr(type(dataset), "__getitem__") or not length_of(dataset):
        return ""
    python, numpy = random.getstate(), np.random.get_state()
    try:
        with fork_rng():
            return summary(dataset[0])
    except NotImplementedError:
        return ""
    except Exception as error:  # a dataset of the user's
        return f"{type(error).__name__}: {error}"
    finally:
        random.setstate(python)
        np.random.set_state(numpy)


def summary(value: Any, depth: int = 3) -> str:
    if isinstance(value, (TensorBase, np.ndarray)):
        return f"{value.dtype} {tuple(value.shape)}"
    if isinstance(value, Mapping) and depth:
        return f"{{{', '.join(f'{key!r}: {summary(item, depth - 1)}' for key, item in list(value.items())[:8])}}}"
    if isinstance(value, (list, tuple)) and depth:
        more = ", ..." if len(value) > 8 else ""
        return f"({', '.join(summary(item, depth - 1) for item in value[:8])}{more})"
    return type(value).__name__


fill("display", tensor_html)
