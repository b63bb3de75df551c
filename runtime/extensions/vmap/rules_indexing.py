"""Indexing: where the indices differ between the examples, the number of the example is one more index."""

from collections.abc import Sequence
from typing import Any

from ...namespace import op
from ...ops.shape.broadcast import broadcast_shapes
from ...tensor import dtypes
from .op_call import Call, belongs
from .rules_general import as_list, dynamic, loop, merged, padded


class IndexPlan:
    """Index tensors of the examples as index tensors of the whole batch."""

    def __init__(self, call: Call, indices: Sequence[Any]) -> None:
        plain = positions(call, indices)
        args = [index for index in plain if index is not None]
        self.count = max(len(index._shape) for index in args)  # dimensions that the indices bring
        first = plain.index(args[0])
        adjacent = all(index is not None for index in plain[first : first + len(args)])
        self.position = first if adjacent else 0  # of these dimensions in an example of the result
        numbers = op.arange(call.size, device=args[0]._device).reshape((call.size, *[1] * self.count))
        self.indices = [numbers, *[self._batch_first(call, index) for index in plain]]
        self.front = list(range(1, self.count + 1)) if self.position else []
        self.result_dims = [d + self.position for d in self.front]  # where the examples have them

    def _batch_first(self, call: Call, index: Any) -> Any:
        if index is None or not belongs(index, call.level):
            return index
        batch = call.batch_first(index)
        return batch.reshape((call.size, *[1] * (self.count - len(index._shape)), *index._shape))

    def from_front(self, value: Any) -> Any:
        """Indexing left the index dimensions in front of the others: put them where the examples have them."""
        return value.movedim(self.front, self.result_dims) if self.front else value

    def to_front(self, value: Any) -> Any:
        return value.movedim(self.result_dims, self.front) if self.front else value


def positions(call: Call, indices: Sequence[Any]) -> list[Any]:
    """The indices without masks: a mask that all examples share becomes the positions of what it chooses."""
    matches: list[Any] = []
    for index in indices:
        if is_mask(index):
            if belongs(index, call.level):
                dynamic(call)
            matches += op.nonzero_as_tuple(index, as_tuple=True)
        else:
            matches.append(index)
    return matches


def is_mask(index: Any) -> bool:
    return index is not None and index._dtype is dtypes.bool_


def has_yes_or_no(call: Call) -> bool:
    """Whether some index is one bool, which takes all or nothing along a new dimension."""
    return any(is_mask(index) and not index._shape for index in call["indices"])


def pick(call: Call) -> Any:
    """x[indices]."""
    if has_yes_or_no(call):
        return dynamic(call) if belongs(call["indices"], call.level) else loop(call)
    idxs = IndexPlan(call, call["indices"])
    return idxs.from_front(op.index(call.batch_first(call["input"]), idxs.indices))


def take_elements(call: Call) -> Any:
    """Elements of the flattened tensor, as `pick` takes them."""
    return call.batch_first(op.index(call["input"].flatten(), [call["index"]]))


def pick_backward(call: Call) -> Any:
    """The gradient of x[indices]: added up at the indices."""
    idxs = IndexPlan(call, call["indices"])
    grad = idxs.to_front(call.batch_first(call["grad_output"]))
    return op.index_backward(grad, (call.size, *as_list(call["input_sizes"])), idxs.indices)


def put(call: Call) -> Any:
    """x[indices] = values, or += with `accumulate`."""
    x, values, indices = call.batch_first(call["input"]), call["values"], call["indices"]
    if len(indices) == 1 and is_mask(indices[0]):
        if not indices[0]._shape or (belongs(indices, call.level) and values.numel() == 1):
            return put_masked(call, x, values)
    elif has_yes_or_no(call):
        return loop(call)
    idxs = IndexPlan(call, indices)
    shape = picked_shape(call, idxs)
    batch = call.batch_first(values.expand(shape))
    put_into = op.index_put_ if call.writes else op.index_put
    return put_into(x, idxs.indices, idxs.to_front(batch), call["accumulate"])


def put_masked(call: Call, x: Any, values: Any) -> Any:
    rank = len(x._shape) - 1
    mask = call.batch_first(call["indices"][0])
    mask = mask.reshape((*mask._shape, *[1] * (rank + 1 - len(mask._shape))))
    values = values.reshape(() if values.numel() == 1 else values._shape[len(values._shape) - rank :])
    value = padded(call.batch_first(values), rank)
    result = op.where(mask, x + value if call["accumulate"] else value, x)
    return x.copy_(result) if call.writes else result


def picked_shape(call: Call, idxs: IndexPlan) -> tuple[int, ...]:
    shape = call["input"]._shape
    value = positions(call, call["indices"])
    picked = broadcast_shapes(*[index._shape for index in value if index is not None])
    remaining_sizes = [size for d, size in enumerate(shape) if d >= len(value) or value[d] is None]
    return (*remaining_sizes[: idxs.position], *picked, *remaining_sizes[idxs.position :])


def select_rows(call: Call) -> Any:
    """index_select: the same rows of all examples, or a gather."""
    x, index = call["input"], call["index"]
    if not (x._shape and index._shape):
        return loop(call)
    dim = call.dimension(call["dim"], len(x._shape))
    if not belongs(index, call.level):
        return op.index_select(call.batch_first(x), dim, index)
    batch_first = call.batch_first(x)
    return op.gather(batch_first, dim, expand_index(call.batch_first(index), batch_first._shape, dim))


def expand_index(index: Any, shape: Sequence[int], dim: int) -> Any:
    size = [*shape[:dim], index._shape[-1], *shape[dim + 1 :]]
    narrow = [index._shape[0], *[1] * (dim - 1), index._shape[-1], *[1] * (len(shape) - dim - 1)]
    return index.reshape(narrow).expand(size)


def add_rows(call: Call) -> Any:
    """index_add: at the same indices of all examples, or a scatter_add."""
    return _scattered(call, "scatter_add")


def copy_rows(call: Call) -> Any:
    """index_copy: at the same indices of all examples, or a scatter."""
    return _scattered(call, "scatter")


def _scattered(call: Call, scatter: str) -> Any:
    x, index = call["input"], call["index"]
    if not (x._shape and index._shape and call["source"]._shape):
        return loop(call)
    dim = call.dimension(call["dim"], len(x._shape))
    if not belongs(index, call.level):
        return call.run(call.all_batch_first() | {"index": index, "dim": dim})
    source = call.batch_first(call["source"])
    source = source * call["alpha"] if "alpha" in call.arguments else source
    where = expand_index(call.batch_first(index), source._shape, dim)
    return getattr(op, f"{scatter}_" if call.writes else scatter)(call.batch_first(x), dim, where, source)


def fill_rows(call: Call) -> Any:
    """index_fill: at the same indices of all examples, or where a mask of each says so."""
    x, index, value = call["input"], call["index"], call["value"]
    if not (x._shape and index._shape):
        return loop(call)
    dim = call.dimension(call["dim"], len(x._shape))
    if not call.is_batched("index", "value"):
        return call.run(call.arguments | {"input": call.batch_first(x), "dim": dim})
    idxs = op.checked_indices(index, dim - 1, x._shape[dim - 1], "index_fill", True)
    no = op.zeros((x._shape[dim - 1],), dtype=dtypes.bool_, device=x._device)
    chosen = op.scatter(no, 0, idxs, True).reshape((-1, *[1] * (len(x._shape) - dim)))
    result = call.batch_first(x.masked_fill(chosen, value))
    return call.batch_first(x).copy_(result) if call.writes else result


def put_elements(call: Call) -> Any:
    """Elements of the flattened tensor, as `put` writes them."""
    x, index = call["input"], call["index"]
    idxs = op.checked_indices(index, 0, x.numel(), "put", True)
    source = call["source"].reshape(index._shape)
    result = call.batch_first(op.index_put(x.flatten(), [idxs], source, call["accumulate"]).view(x._shape))
    return call.batch_first(x).copy_(result) if call.writes else result


def write_where(call: Call) -> Any:
    """masked_written: a choice between elements, as each example has its own order of them."""
    x, mask, source = call["input"], call["mask"], call["source"]
    if not source.numel():
        return loop(call)
    order = op.order_of_true(mask.expand(broadcast_shapes(x._shape, mask._shape)), source.numel(), 0)
    return call.batch_first(op.where(mask, op.index(source.flatten(), [order]), x))


def embed(call: Call) -> Any:
    """Rows of a table that all share, or of one table with those of all examples."""
    table, indices = call.first, call["indices"]
    if call["scale_grad_by_freq"]:
        return loop(call)
    if not belongs(table, call.level):
        return call.run(call.arguments | {"indices": call.batch_first(indices)})
    if call["padding_idx"] >= 0:
        return loop(call)
    rows = call.batch_first(indices) + shifts(call, indices, table._shape[0])
    name = next(iter(call.arguments))
    return call.run(call.arguments | {name: merged(call.batch_first(table)), "indices": rows})


def shifts(call: Call, indices: Any, rows: int) -> Any:
    """Where the rows of each example begin in the table of all."""
    return (op.arange(call.size, device=indices._device) * rows).reshape((call.size, *[1] * len(indices._shape)))


def embed_backward(call: Call) -> Any:
    """The gradient of a table for each example, as parts of one table."""
    if call["padding_idx"] >= 0 or call["scale_grad_by_freq"]:
        return loop(call)
    rows, indices = call["num_weights"], call["indices"]
    arguments = {"grad_output": call.batch_first(call["grad_output"]), "num_weights": rows * call.size}
    arguments["indices"] = call.batch_first(indices) + shifts(call, indices, rows)
    result = call.run(call.arguments | arguments)
    return result.reshape((call.size, rows, *result._shape[1:]))


def bags_side_by_side(call: Call) -> Any:
    """Rows of all examples beside each other, where all have the same bags; offsets say how many a bag has."""
    if belongs(call["offsets"], call.level):
        return dynamic(call)
    if belongs(call["indices"], call.level):
        return loop(call)
    name = next(iter(call.arguments))
    rows = call.batch_first(call.first).movedim(0, 1)
    result = call.run(call.arguments | {name: rows.flatten(1)})
    return result.unflatten(1, rows._shape[1:]).movedim(1, 0)
