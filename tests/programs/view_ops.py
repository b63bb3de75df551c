"""The views of the language: how each rearranges places."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawn import Drawing
from .dual import Array, Refused, Unsuitable
from .machine import Machine
from .model import Cell
from .step import Op


def wrap(dim: int, count: int) -> int:
    """A dimension counted from the front."""
    if not -max(count, 1) <= dim < max(count, 1):
        raise Refused(IndexError)
    return dim % max(count, 1)


def one_view(text: str, arguments: Any, positions: Any) -> Op:
    """A view whose places `places(array, **arguments)` gives."""
    return Op(text, arguments, lambda m, a, **k: m.view(a, np.asarray(positions(a.positions, **k))), "view")


def in_place(text: str, arguments: Any, positions: Any) -> Op:
    """A view op in place."""
    return Op(text, arguments, lambda m, a, **k: m.relayout(a, np.asarray(positions(a.positions, **k))), "write")


def swap_last(positions: Array) -> Array:
    """The last two dimensions exchanged."""
    if not positions.ndim:
        raise Unsuitable  # deprecated
    if positions.ndim < 2:
        raise Refused
    return np.swapaxes(positions, -1, -2)


def swap(positions: Array, dim0: int, dim1: int) -> Array:
    """Two dimensions exchanged."""
    return np.swapaxes(positions, dim0, dim1) if positions.ndim else positions


def multiple(text: str, arguments: Any, pieces: Any) -> Op:
    """An op that gives several views."""

    def run(machine: Machine, source: Cell, **given: Any) -> list[Cell]:
        found = [machine.view(source, positions, "multiple") for positions in pieces(source.positions, **given)]
        node_of_all = machine.view(source, source.positions, "multiple").node
        for cell in found:
            cell.node = node_of_all
        return found

    return Op(text, arguments, run, "views")


def separate(text: str, arguments: Any, pieces: Any) -> Op:
    """An op that gives several views, each of them one of its own."""

    def run(machine: Machine, source: Cell, **given: Any) -> list[Cell]:
        return [machine.view(source, positions) for positions in pieces(source.positions, **given)]

    return Op(text, arguments, run, "views")


def select(positions: Array, dim: int, index: int) -> Array:
    """One index of a dimension."""
    if not positions.ndim:
        raise Refused(IndexError)
    dim = wrap(dim, positions.ndim)
    if not -positions.shape[dim] <= index < positions.shape[dim]:
        raise Refused(IndexError)
    return positions.take(index, dim)


def narrow(positions: Array, dim: int, start: int, length: int) -> Array:
    """A range of a dimension."""
    if not positions.ndim or start + length > positions.shape[dim]:
        raise Refused
    return positions.take(range(start, start + length), dim)


def by_key(positions: Array, key: str) -> Array:
    """What NumPy makes of a basic index."""
    try:
        return eval(f"positions[{key}]", {"positions": positions})
    except IndexError:
        raise Refused(IndexError) from None


def expand(positions: Array, size: tuple[int, ...]) -> Array:
    """Dimensions of one element repeated."""
    try:
        return np.broadcast_to(positions, size)
    except ValueError:
        raise Refused from None


def diagonal(positions: Array, offset: int) -> Array:
    """The diagonal of the first two dimensions, as the last one."""
    if positions.ndim < 2:
        raise Refused(IndexError)
    return np.diagonal(positions, offset)


def movedim(positions: Array, dim0: int, dim1: int) -> Array:
    """A dimension at another place."""
    return np.moveaxis(positions, dim0, dim1) if positions.ndim else positions


def unsqueeze(positions: Array, dim: int) -> Array:
    """A new dimension of one element."""
    return np.expand_dims(positions, dim)


def squeeze(positions: Array, dim: int) -> Array:
    """Without a dimension, if it has one element."""
    dim = wrap(dim, positions.ndim)
    return np.squeeze(positions, dim) if positions.ndim and positions.shape[dim] == 1 else positions


def strided(machine: Machine, source: Cell, size: tuple[int, ...], stride: tuple[int, ...], start: int) -> Cell:
    """A view of the memory by strides."""
    check_layout(source)
    offsets = sum(
        (
            np.arange(n).reshape(-1, *[1] * (len(size) - i - 1)) * s
            for i, (n, s) in enumerate(zip(size, stride, strict=True))
        ),
        np.zeros((), int),
    )
    positions = np.broadcast_to(offsets, size) + start
    if positions.size and positions.max() >= source.memory.numbers.values.size:
        raise Refused
    if np.setdiff1d(positions, source.positions).size:
        raise Unsuitable  # what is no part of the source has no gradient, until the memory is written to
    return machine.view(source, positions)


def same_elements(positions: Array, size: tuple[int, ...]) -> Array | None:
    """The places under another shape; None where no strides can say so."""
    try:
        shaped = positions.reshape(size)
    except ValueError:
        raise Refused from None
    steps = [
        int(positions.take(1, d).flat[0] - positions.take(0, d).flat[0]) if n > 1 and positions.size else 1
        for d, n in enumerate(positions.shape)
    ]
    layout = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), positions.shape, steps)
    try:
        layout.shape = shaped.shape
    except AttributeError:
        return None
    return shaped


def view(machine: Machine, source: Cell, size: tuple[int, ...]) -> Cell:
    """The same elements under another shape."""
    check_layout(source)
    found = same_elements(source.positions, size)
    if found is None:
        raise Refused
    return machine.view(source, found)


def check_layout(source: Cell) -> None:
    """Refuse to say what depends on how a library has laid out a result."""
    if not source.memory.in_rows:
        raise Unsuitable


def reshape(machine: Machine, source: Cell, size: tuple[int, ...]) -> Cell:
    """A view where strides allow, else a copy."""
    check_layout(source)
    found = same_elements(source.positions, size)
    if found is None:
        return machine.compute(lambda a: a.each(lambda x: x.reshape((*size, *x.shape[a.values.ndim :]))), [source])
    return machine.view(source, found)


def flatten(machine: Machine, source: Cell) -> Cell:
    """All dimensions as one; a vector is returned as it is."""
    return source if source.positions.ndim == 1 else reshape(machine, source, (source.positions.size,))


def split(positions: Array, size: int, dim: int) -> list[Array]:
    """Pieces of one size, the last smaller."""
    if not positions.ndim:
        raise Refused
    total = positions.shape[dim]
    return [positions.take(range(i, min(i + size, total)), dim) for i in range(0, max(total, 1), size)]


def split_sizes(positions: Array, sizes: list[int], dim: int) -> list[Array]:
    """Pieces of given sizes."""
    if not positions.ndim or sum(sizes) != positions.shape[dim]:
        raise Refused
    starts = np.cumsum([0, *sizes])
    return [positions.take(range(start, start + size), dim) for start, size in zip(starts, sizes, strict=False)]


def unbind(positions: Array, dim: int, error: type[Exception] = IndexError) -> list[Array]:
    """All indices of a dimension."""
    if not positions.ndim:
        raise Refused(error)
    return [positions.take(i, dim) for i in range(positions.shape[dim])]


def chunk(positions: Array, count: int, dim: int) -> list[Array]:
    """At most `count` pieces of one size."""
    size = -(-positions.shape[dim] // count) if positions.ndim else 1
    return split(positions, size, dim) if size else [positions] * count


def tensor_split(positions: Array, count: int, dim: int) -> list[Array]:
    """Pieces of which the first are larger by one."""
    if not positions.ndim:
        raise Refused
    return np.array_split(positions, count, dim)


def split_at(positions: Array, sizes: list[int], dim: int) -> list[Array]:
    """Two pieces, the second from a place on."""
    if not positions.ndim:
        raise Refused
    return np.array_split(positions, sizes[:1], dim)


def rows_apart(positions: Array, count: int, dim: int) -> list[Array]:
    """Equal pieces of the first dimension."""
    if positions.ndim < 2 or positions.shape[0] % count:
        raise Refused
    return np.array_split(positions, count, 0)


def unfold(positions: Array, dim: int, size: int, step: int) -> Array:
    """Windows along a dimension."""
    if not positions.ndim:
        raise Unsuitable
    dim = wrap(dim, positions.ndim)
    if size > positions.shape[dim]:
        raise Refused
    found = np.lib.stride_tricks.sliding_window_view(positions, size, dim)
    return found.take(range(0, found.shape[dim], step), dim)


def t(positions: Array) -> Array:
    """The two dimensions of a matrix exchanged."""
    if positions.ndim > 2:
        raise Refused
    return positions.T


VIEWS: dict[str, Op] = {
    "select": one_view("{0}.select({dim}, {index})", Drawing.select, select),
    "key": one_view("{0}[{key}]", Drawing.key, by_key),
    "narrow": one_view("{0}.narrow({dim}, {start}, {length})", Drawing.narrow, narrow),
    "transpose": one_view("{0}.transpose({dim0}, {dim1})", Drawing.two_dims, swap),
    "permute": one_view("{0}.permute({dims})", Drawing.permutation, lambda p, dims: p.transpose(dims)),
    "T": one_view("{0}.mT", Drawing.nothing, swap_last),
    "unsqueeze": one_view("{0}.unsqueeze({dim})", Drawing.new_dim, unsqueeze),
    "squeeze": one_view("{0}.squeeze()", Drawing.nothing, np.squeeze),
    "squeeze.dim": one_view("{0}.squeeze({dim})", Drawing.dim, squeeze),
    "expand": one_view("{0}.expand({size})", Drawing.expansion, expand),
    "diagonal": one_view("{0}.diagonal({offset})", Drawing.offset, diagonal),
    "as_strided": Op("{0}.as_strided({size}, {stride}, {start})", Drawing.strides, strided, "view"),
    "view": Op("{0}.view({size})", Drawing.size, view, "view"),
    "reshape": Op("{0}.reshape({size})", Drawing.size, reshape, "new"),
    "flatten": Op("{0}.flatten()", Drawing.nothing, flatten, "new"),
    "movedim": one_view("{0}.movedim({dim0}, {dim1})", Drawing.two_dims, movedim),
    "unbind": multiple("{0}.unbind({dim})", Drawing.dim, unbind),
    "split": multiple("{0}.split({size}, {dim})", Drawing.pieces, split),
    "split.sizes": multiple("{0}.split({sizes}, {dim})", Drawing.piece_sizes, split_sizes),
    "iterate": multiple("list({0})", Drawing.nothing, lambda p: unbind(p, 0, TypeError)),
    "chunk": multiple("{0}.chunk({count}, {dim})", Drawing.chunks, chunk),
    "tensor_split": separate("{0}.tensor_split({count}, {dim})", Drawing.chunks, tensor_split),
    "tensor_split.at": separate("{0}.tensor_split([{sizes[0]}], {dim})", Drawing.piece_sizes, split_at),
    "vsplit": separate("{0}.vsplit({count})", Drawing.chunks, rows_apart),
    "unfold": one_view("{0}.unfold({dim}, {size}, {step})", Drawing.windows, unfold),
    "t_": in_place("{0}.t_()", Drawing.nothing, t),
    "squeeze_.dim": in_place("{0}.squeeze_({dim})", Drawing.dim, squeeze),
    "swapaxes_": in_place("{0}.swapaxes_({dim0}, {dim1})", Drawing.two_dims, swap),
    "transpose_": in_place("{0}.transpose_({dim0}, {dim1})", Drawing.two_dims, swap),
    "unsqueeze_": in_place("{0}.unsqueeze_({dim})", Drawing.new_dim, unsqueeze),
    "squeeze_": in_place("{0}.squeeze_()", Drawing.nothing, np.squeeze),
}
