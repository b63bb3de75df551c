"""Batching rules of products, distances and layers. Examples are one more batch dimension of matmul; of a layer they
join the samples, items, planes or sequences where they share the weights, of convolutions else the channels, as groups.
"""

from math import prod
from typing import Any

from ...namespace import op
from .op_call import Call, belongs
from .rules_general import as_list, lined_up, loop, merged, padded, parted, shaped


def product(call: Call) -> Any:
    """mm, bmm, mv and dot of whole batches."""
    left, right = call.arguments.values()
    return multiplied(call, left, right)


def multiplied(call: Call, left: Any, right: Any) -> Any:
    """The matrix product of two examples, for all examples."""
    ranks = len(left._shape), len(right._shape)
    a, b = call.batch_first_if_batched(left), call.batch_first_if_batched(right)
    if ranks == (1, 1):
        return (a * b).sum(-1)
    if ranks == (2, 1):
        return a.matmul(b) if not belongs(right, call.level) else times_vectors(a, b, belongs(left, call.level))
    if ranks == (2, 2) and a.ndim == b.ndim == 3:
        return op.bmm(a, b)
    return a.matmul(b)


def times_vectors(matrix: Any, vectors: Any, own: bool) -> Any:
    """Matrix times a vector for each example; a shared matrix multiplies all vectors at once."""
    return matrix.matmul(vectors.unsqueeze(-1)).squeeze(-1) if own else vectors.matmul(matrix.t())


def add_product(call: Call) -> Any:
    """beta * input + alpha * (product): addmm, addmv, baddbmm and addbmm."""
    first, left, right = list(call.arguments.values())[:3]
    beta, alpha = call["beta"], call["alpha"]
    result = multiplied(call, left, right)
    if call.op == "addbmm":
        result = result.sum(-3)
    batched = belongs((left, right), call.level)
    result = result if alpha == 1 else result * alpha
    if not batched:
        result = result.expand((call.size, *result._shape))
    if beta != 0:
        added = lined_up(call, first, len(result._shape) - 1)
        result = result + (added if beta == 1 else added * beta)
    return call.batch_first(first).copy_(result) if call.writes else result


def linear(call: Call) -> Any:
    """x W^T + b; rows of all examples together where they share the weight."""
    x, weight, bias = call.arguments.values()
    if len(weight._shape) == 1:
        return with_bias(call, multiplied(call, x, weight), bias, len(x._shape) - 1)
    if not call.is_batched("weight"):
        fits = not call.is_batched("bias")
        result = op.linear(call.batch_first_if_batched(x), weight, bias if fits else None)
        return result if fits else with_bias(call, result, bias, len(x._shape))
    rows, columns = flat_rows(call, call.batch_first_if_batched(x), x), call.batch_first(weight).transpose(1, 2)
    if not call.is_batched("input"):
        result = with_bias(call, rows.matmul(columns), bias, 2)
    elif bias is None:
        result = op.bmm(rows, columns)
    else:
        result = op.baddbmm(call.batch_first_if_batched(bias.unsqueeze(0)), rows, columns)
    return shaped(result, (call.size, *x._shape[:-1], weight._shape[0]))


def with_bias(call: Call, result: Any, bias: Any, rank: int) -> Any:
    if bias is None:
        return result
    return result + (padded(call.batch_first(bias), rank) if call.is_batched("bias") else bias)


def flat_rows(call: Call, value: Any, example: Any) -> Any:
    size = (call.size,) if belongs(example, call.level) else ()
    return shaped(value, (*size, prod(example._shape[:-1]), example._shape[-1]))


def linear_weight_backward(call: Call) -> Any:
    """The gradient of a weight: grad^T x over all rows of an example."""
    grad, x = call["grad_output"], call["input"]
    vector = len(grad._shape) < len(x._shape)  # that of a weight with one dimension
    rows = call.batch_first_if_batched(grad.unsqueeze(-1) if vector else grad)
    size = (call.size,) if belongs(grad, call.level) else ()
    rows = rows.reshape((*size, prod(x._shape[:-1]), rows._shape[-1]))
    result = rows.transpose(-2, -1).matmul(flat_rows(call, call.batch_first_if_batched(x), x))
    return result.squeeze(-2) if vector else result


def convolve(call: Call) -> Any:
    """Examples join the samples where they share the weight, else the channels, as groups."""
    samples = len(call["input"]._shape) == len(call["weight"]._shape)
    if not call.is_batched("weight", "bias"):
        return in_samples(call, "input", samples)
    return out_of_channels(call.run(in_channels(call, samples)), call.size, samples)


def convolve_input_backward(call: Call) -> Any:
    """The gradient of a convolution's input, the examples among samples or channels."""
    shape = as_list(call["input_shape"])
    samples = len(shape) == len(call["weight"]._shape)
    if call.is_batched("weight"):
        return out_of_channels(call.run(in_channels(call, samples)), call.size, samples)
    larger = [shape[0] * call.size, *shape[1:]] if samples else [call.size, *shape]
    return in_samples(call, "grad_output", samples, input_shape=larger)


def convolve_weight_backward(call: Call) -> Any:
    """The gradient of a convolution's weight, each example a group of channels of its own."""
    samples = len(call["input"]._shape) == len(call["weight_shape"])
    return parted(call.run(in_channels(call, samples)), call.size)


def in_samples(call: Call, name: str, samples: bool, **changed: Any) -> Any:
    value = call.batch_first(call[name])
    result = call.run(call.arguments | changed | {name: merged(value) if samples else value})
    return parted(result, call.size) if samples else result


def in_channels(call: Call, samples: bool) -> dict[str, Any]:
    """The arguments of the op with the examples as groups of channels: (B, N, C, ...) as (N, B * C, ...)."""
    arguments = call.all_batch_first() | {"groups": call["groups"] * call.size}
    for name, value in arguments.items():
        if name in ("input_shape", "weight_shape"):
            dim = int(samples and name == "input_shape")
            arguments[name] = [n * call.size if d == dim else n for d, n in enumerate(as_list(value))]
        elif name in call.tensors():
            with_samples = samples and name in ("input", "grad_output")
            arguments[name] = merged_at(value.transpose(0, 1), 1) if with_samples else merged(value)
    return arguments


def out_of_channels(value: Any, size: int, samples: bool) -> Any:
    """(N, B * C, ...) as (B, N, C, ...)."""
    if not samples:
        return parted(value, size)
    shape = value._shape
    return value.reshape((shape[0], size, shape[1] // size, *shape[2:])).transpose(0, 1)


def merged_at(value: Any, dim: int) -> Any:
    shape = value._shape
    return value.reshape((*shape[:dim], shape[dim] * shape[dim + 1], *shape[dim + 2 :]))


def attend(call: Call) -> Any:
    """All items of all examples at once; what broadcasts over items is repeated where it differs between examples."""
    arguments, items = dict(call.arguments), call.first._shape[0]
    for name, value in call.tensors().items():
        if name in ("input", "key", "value"):
            arguments[name] = merged(call.batch_first(value))
        elif belongs(value, call.level) or value._shape[0] != 1:
            batch_first = call.batch_first(value)
            arguments[name] = merged(batch_first.expand((call.size, items, *batch_first._shape[2:])))
    return tuple([parted(result, call.size) for result in call.run(arguments)])


def planes(call: Call) -> Any:
    """Examples join the samples, or the channels where there are no samples."""
    arguments = call.all_batch_first()
    for name in call.tensors():
        arguments[name] = merged(arguments[name])
    if "input_shape" in arguments:
        shape = as_list(arguments["input_shape"])
        arguments["input_shape"] = [shape[0] * call.size, *shape[1:]]
    return parted(call.run(arguments), call.size)


STATES = ("hidden", "cell")


def recurrent(call: Call) -> Any:
    """All sequences of all examples at once; one call for each example where weights or lengths are its own."""
    weights = [name for name in call.arguments if name.startswith(("weight", "bias"))]
    if len(set(call["batch_sizes"])) > 1 or call.is_batched(*weights):
        return loop(call)
    arguments, sizes, rows = dict(call.arguments), call["batch_sizes"], call.batch_first(call["input"])
    if sizes:
        rows = rows.reshape((call.size, len(sizes), sizes[0], rows._shape[-1]))
        arguments["batch_sizes"] = ()
    arguments["input"] = merged_at(rows.transpose(0, 1), 1)
    states = [name for name in STATES if name in arguments]
    for name in states:
        arguments[name] = merged(call.batch_first(arguments[name]))
    output, *others = call.run(arguments)
    steps, size = output._shape[0], call.size
    output = output.reshape((steps, size, -1, output._shape[-1])).transpose(0, 1)
    if sizes:
        output = output.reshape((size, -1, output._shape[-1]))
    last = [parted(state, size) for state in others[: len(states)]]
    return (output, *last, *(_of_examples(value, steps, size) for value in others[len(states) :]))


def _of_examples(value: Any, steps: int, size: int) -> Any:
    """A saved array (..., steps * examples * batch, n) of all rows, with the examples in front."""
    *front, rows, width = value._shape
    batch = rows // (steps * size)
    unfolded = value.reshape((*front, steps, size, batch, width)).movedim(len(front) + 1, 0)
    return unfolded.reshape((size, *front, steps * batch, width))
