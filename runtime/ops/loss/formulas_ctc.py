"""Connectionist temporal classification in ops: helpers of the composite, and its gradient, differentiable again."""

from ...namespace import Tensor, op
from ...tensor.view_shapes import Ints

NEVER = -1e30  # a logarithm of 0 whose differences are numbers


def label_counts(target_lengths: Ints, like: Tensor) -> Tensor:
    return op.tensor([max(n, 1) for n in target_lengths], dtype=like.dtype, device=like.device)


def label_rows(targets: Tensor, lengths: Ints) -> Tensor:
    if targets.ndim == 2:
        return targets
    longest, start, rows = max(lengths, default=0), 0, []
    for length in lengths:
        rows.append([start + k if k < length else 0 for k in range(longest)])
        start += length
    if not longest:
        return targets.new_zeros((len(lengths), 0))
    return op.index(targets, [op.tensor(rows, device=targets.device)])


def ctc_gradient(
    grad: Tensor, log_probs: Tensor, targets: Tensor, input_lengths: Ints, target_lengths: Ints, blank: int
) -> Tensor:
    """d / d log_probs[t, c] of -log p(labels) is -p(class c at step t | labels), times grad. The probability is the sum
    of exp(a_t(s) + b_t(s)) / p(labels) over the states s of class c: a_t is the logarithm of all ways to a state, b_t
    of all ways from there to the end (forward and backward variables)."""
    states, valid, jumps = _states(targets, target_lengths, blank, log_probs)
    steps, samples, _ = log_probs._shape
    if not steps or not samples:
        return log_probs * 0
    where = states.unsqueeze(0).expand((steps, *states._shape))
    scores = op.where(valid, log_probs.gather(2, where), NEVER)
    ends = op.tensor(list(input_lengths), device=log_probs.device).unsqueeze(1)
    last = op.tensor([2 * n for n in target_lengths], device=log_probs.device).unsqueeze(1)
    ahead = _ahead(scores, jumps)
    behind = _behind(scores, jumps, ends, last)
    clock = op.arange(steps, device=log_probs.device).reshape([-1, 1, 1])
    ways = op.where(clock < ends, ahead + behind, NEVER)
    visits = op.softmax(ways, 2)
    visits = op.where(clock < ends, visits, 0) * -grad.reshape([1, -1, 1])
    return (log_probs.detach() * 0).scatter_add(2, where, visits)


def _states(targets: Tensor, lengths: Ints, blank: int, like: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The class of each state, which states there are, and which are reached from two states before."""
    rows, longest = targets._shape
    count = op.arange(2 * longest + 1, device=like.device)
    valid = count < op.tensor([2 * n + 1 for n in lengths], device=like.device).unsqueeze(1)
    if not longest:
        return valid * blank, valid, valid.logical_not()
    labels = targets.long()
    pairs = op.stack([op.full_like(labels, blank), labels], 2).reshape([rows, 2 * longest])
    states = op.where(valid, op.constant_pad_nd(pairs, [0, 1], blank), blank)
    differ = op.constant_pad_nd(states[:, 2:] != states[:, :-2], [2, 0], False)
    return states, valid, differ


def _moved(x: Tensor, by: int) -> Tensor:
    return op.constant_pad_nd(x, [by, -by], NEVER)


def _ahead(scores: Tensor, jumps: Tensor) -> Tensor:
    ways = op.where(op.arange(scores._shape[2], device=scores.device) < 2, scores[0], NEVER)
    matches = [ways]
    for t in range(1, scores._shape[0]):
        before = op.where(jumps, _moved(ways, 2), NEVER)
        ways = op.logsumexp(op.stack([ways, _moved(ways, 1), before]), [0]) + scores[t]
        matches.append(ways)
    return op.stack(matches)


def _behind(scores: Tensor, jumps: Tensor, ends: Tensor, last: Tensor) -> Tensor:
    states = op.arange(scores._shape[2], device=scores.device)
    final = op.where((states == last) | (states == last - 1), scores[0] * 0, NEVER)
    ways, result = final, [final]
    for t in range(scores._shape[0] - 2, -1, -1):
        after = ways + scores[t + 1]
        jump = _moved(op.where(jumps, after, NEVER), -2)
        on = op.logsumexp(op.stack([after, _moved(after, -1), jump]), [0])
        ways = op.where(ends > t + 1, on, final)
        result.append(ways)
    return op.stack(result[::-1])
