"""Batching rules of losses, summed or averaged within each example, and of norms, whose statistics are kept apart for
each example; a weight for each is applied outside.
"""

from typing import Any

from ...namespace import op
from .op_call import Call
from .rules_general import as_list, flattened, loop, merged, padded, parted

NONE, MEAN, SUM = 0, 1, 2


def negative_log_likelihood(call: Call) -> Any:
    """-weight[target] * input[target], averaged by the weights of the targets that count."""
    losses, _ = _of_each_target(call, op.nll_loss, None, NONE, call["ignore_index"])
    weights = weights_of(call, call.batch_first(call["target"]), losses)
    losses = losses * weights.reshape(losses._shape)
    if call["reduction"] == NONE:
        return losses, weights.sum(1) * 0
    total = flattened(losses).sum(1)
    return (total / weights.sum(1) if call["reduction"] == MEAN else total), weights.sum(1)


def _of_each_target(call: Call, loss: Any, *options: Any) -> tuple[Any, Any]:
    x, target = call.batch_first(call["input"]), call.batch_first(call["target"])
    if x.ndim == 2:  # an example is one row of scores, so that the examples are the samples of the op
        return loss(x, target, *options)
    losses, saved_state = loss(merged(x), merged(target), *options)
    return parted(losses, call.size), saved_state


def negative_log_likelihood_backward(call: Call) -> Any:
    """-weight[target] * grad at each target; that of a mean is shared by the total weight of the example."""
    shape, target = as_list(call["input_shape"]), call.batch_first(call["target"])
    grad, weight = call.batch_first(call["grad_output"]), call["weight"]
    if call["reduction"] == MEAN:
        grad = grad / call.batch_first(call["total_weight"])
    if call["reduction"] != NONE:
        grad = grad.reshape((call.size, *[1] * (len(target._shape) - 1))).expand(target._shape)
    if call.is_batched("weight"):
        grad, weight = grad * weights_of(call, target, grad).reshape(target._shape), None
    single = len(shape) == 1
    if not single:
        grad, target, shape = merged(grad), merged(target), [call.size * shape[0], *shape[1:]]
    args = (grad, target, weight, grad.new_ones(()), [call.size, *shape] if single else shape)
    result = op.nll_loss_backward(*args, NONE, call["ignore_index"])
    return result if single else parted(result, call.size)


def cross_entropy(call: Call) -> Any:
    """Cross-entropy of all targets of all examples, summed or averaged within each example."""
    if call.is_batched("weight"):
        return loop(call)
    options = (call["weight"], NONE, call["ignore_index"], call["label_smoothing"])
    losses, saved_state = _of_each_target(call, op.cross_entropy_loss, *options)
    weights = weights_of(call, call.batch_first(call["target"]), losses).sum(1)
    saved_state = op.cat([saved_state[:-1].reshape((call.size, -1)), weights.unsqueeze(1)], 1)
    if call["reduction"] == NONE:
        return losses, saved_state
    total = flattened(losses).sum(1)
    return (total / weights if call["reduction"] == MEAN else total), saved_state


def weights_of(call: Call, target: Any, losses: Any) -> Any:
    target, weight = flattened(target), call["weight"]
    counted = (target != call["ignore_index"]).to(losses._dtype)
    if weight is None:
        return counted
    table = call.batch_first(weight)
    return table.gather(1, target.clamp(0, table._shape[1] - 1)) * counted


def temporal(call: Call) -> Any:
    """Scores (steps, samples, classes) and rows of labels; each example has the same lengths."""
    arguments = call.all_batch_first()
    scores = arguments["log_probs"].transpose(0, 1)
    steps, size, samples, classes = scores._shape
    arguments["log_probs"] = scores.reshape((steps, size * samples, classes))
    arguments["targets"] = merged(arguments["targets"])
    for name in ("input_lengths", "target_lengths"):
        arguments[name] = list(arguments[name]) * size
    return parted(call.run(arguments), size)


def normalize(call: Call) -> Any:
    """Standardising over dimensions of each example."""
    rank = len(call["input"]._shape)
    batch_first, dims = call.batch_first(call["input"]), call.dimensions(as_list(call["dim"]), rank)
    if not call.is_batched("weight", "bias"):
        return call.run(call.arguments | {"input": batch_first, "dim": dims})
    output, mean, var = op.standardize(batch_first, None, None, dims, (1,), call["eps"])
    for name, combine in (("weight", op.mul), ("bias", op.add)):
        if call[name] is not None:
            output = combine(output, _expanded(call, name, rank))
    return output, mean, var


def normalize_groups(call: Call) -> Any:
    """Samples of all examples together; weights that differ between them are applied outside."""
    is_per_example = call.is_batched("weight", "bias")
    value = call.arguments | {"weight": None, "bias": None} if is_per_example else call.arguments
    output, mean, var = parted(call.run(value | {"input": merged(call.batch_first(call["input"]))}), call.size)
    for name, combine in (("weight", op.mul), ("bias", op.add)):
        if is_per_example and call[name] is not None:
            values = call.batch_first(call[name])
            output = combine(output, values.reshape((call.size, 1, -1, *[1] * (len(output._shape) - 3))))
    return output, mean, var


def normalize_by(call: Call) -> Any:
    """Samples of all examples together where they share the statistics, else channels of all."""
    value = call.batch_first(call["input"])
    if not call.is_batched("mean", "var", "weight", "bias"):
        return parted(call.run(call.arguments | {"input": merged(value)}), call.size)
    samples, channels = call["input"]._shape[:2]
    side_by_side = value.transpose(0, 1).reshape((samples, call.size * channels, *value._shape[3:]))
    arguments = {
        n: None if call[n] is None else merged(call.batch_first(call[n])) for n in ("mean", "var", "weight", "bias")
    }
    result = call.run(call.arguments | arguments | {"input": side_by_side})
    return result.reshape((samples, call.size, channels, *value._shape[3:])).transpose(0, 1)


def normalize_rows(call: Call) -> Any:
    """Rows of all examples together; weights that differ between them are applied outside."""
    rank = len(call["input"]._shape)
    batch_first, dims = call.batch_first(call["input"]), call.dimensions(as_list(call["dim"]), rank)
    if not call.is_batched("weight", "bias"):
        return call.run(call.arguments | {"input": batch_first, "dim": dims})
    output, center, scale = op.standardize_rows(batch_first, None, None, dims, call["eps"])
    for name, combine in (("weight", op.mul), ("bias", op.add)):
        if call[name] is not None:
            own = padded(call.batch_first(call[name]), rank) if call.is_batched(name) else call[name]
            output = combine(output, own)
    return output, center, scale


def normalize_rms(call: Call) -> Any:
    """Rows of all examples together; a weight that differs between them is multiplied in apart."""
    rank = len(call["input"]._shape)
    batch_first, dims = call.batch_first(call["input"]), call.dimensions(as_list(call["dim"]), rank)
    if not call.is_batched("weight"):
        return call.run(call.arguments | {"input": batch_first, "dim": dims})
    output, scale = op.normalize_rms(batch_first, None, dims, call["eps"])
    return output * padded(call.batch_first(call["weight"]), rank), scale


def _expanded(call: Call, name: str, rank: int) -> Any:
    shaped = call[name].reshape(call["affine_shape"])
    return padded(call.batch_first(shaped), rank) if call.is_batched(name) else shaped
