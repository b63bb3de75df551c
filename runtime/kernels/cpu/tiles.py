"""The inner loops of convolution and of matrix products: blocks of sums that stay in vector registers.

Each function here may be called by kernels (`@jit`). Places count numbers from the start of a contiguous array, which
is taken as flat. Sums are taken for some rows at once: `weighted_4` does four, which is what registers hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..jit import intrinsic
from .vectors import Vectors, machine


def _widths() -> tuple[int, ...]:
    """How many vectors a tile of four rows may be wide, the widest first: two thirds of the registers hold sums."""
    return (6, 4, 2, 1) if machine().registers == 32 else (3, 2, 1)


def _signature(types: Any, arguments: str, *arrays: Any) -> Any:
    """Arguments: 'a' stands for the next array, 'i' for an integer."""
    given = iter(arrays)
    return types.void(*[next(given) if kind == "a" else types.intp for kind in arguments])


def _unpacked(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    """Integers as they are, of arrays the address of their numbers."""
    return [
        context.make_array(kind)(context, builder, value).data if hasattr(kind, "ndim") else value
        for kind, value in zip(signature.args, args, strict=True)
    ]


def _weighted(rows: int) -> Callable[[], Any]:
    """out[r, j] = bias[r] + sum over p of w[w_places[p] + r w_row] x[x_places[p] + j], for j in range(columns).

    Sums that do not fill a vector are taken again from the right, so `columns` may be anything from the widest tile on;
    below that, up to a tile's width of `x` is read and of `out` is written.
    """

    def define(types: Any) -> Any:
        def weighted(
            typing: Any, x: Any, x_at: Any, x_places: Any, w: Any, w_at: Any, w_places: Any, w_row: Any, first: Any,
            count: Any, bias: Any, bias_at: Any, out: Any, out_at: Any, out_row: Any, columns: Any,
        ) -> Any:  # fmt: skip
            return _signature(types, "aiaaiaiiiaiaiii", x, x_places, w, w_places, bias, out), write

        def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            v = Vectors(context, builder, signature.args[0].dtype)
            _write_weighted(v, rows, *_unpacked(context, builder, signature, args))
            return context.get_dummy_value()

        return weighted

    return define


def _write_weighted(
    v: Vectors, rows: int, x: Any, x_at: Any, x_places: Any, w: Any, w_at: Any, w_places: Any, w_row: Any, first: Any,
    count: Any, bias: Any, bias_at: Any, out: Any, out_at: Any, out_row: Any, columns: Any,
) -> None:  # fmt: skip
    x, x_places, w_places = v.at(x, x_at), v.at(x_places, first), v.at(w_places, first)
    weights = [v.at(w, v.builder.add(w_at, v.builder.mul(w_row, v.index(r)))) for r in range(rows)]
    outs = [v.at(out, v.builder.add(out_at, v.builder.mul(out_row, v.index(r)))) for r in range(rows)]
    biases = [v.spread(v.number(v.at(bias, bias_at), r)) for r in range(rows)]

    def tile(column: Any, width: int) -> None:
        def add(p: Any, *sums: Any) -> list[Any]:
            from_x = v.at(v.at(x, column), v.number(x_places, p))
            place = v.number(w_places, p)
            values = [v.load(from_x, k * v.lanes) for k in range(width)]
            scales = [v.spread(v.number(weight, place)) for weight in weights]
            return [v.multiply_add(scales[i // width], values[i % width], total) for i, total in enumerate(sums)]

        sums = v.loop(count, 1, [b for b in biases for _ in range(width)], add)
        for i, total in enumerate(sums):
            v.store(total, v.at(outs[i // width], column), i % width * v.lanes)

    _cover(v, columns, tile)
