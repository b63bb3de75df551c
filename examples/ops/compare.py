"""Values and gradients of each op beside NumPy and SciPy, in double precision.

A reference is written as plainly as possible, and its gradient is that of differences. Exits with 1 when one disagrees.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import my_ops
import numpy as np
from scipy import ndimage, special
from scipy.spatial.distance import cdist

import specgrad as sg

STEP = 1e-3  # of differences of fourth order
TOLERANCE = 1e-7
random = np.random.default_rng(0)


def uniform(*shape: int, low: float = -1.0, high: float = 1.0) -> np.ndarray:
    return random.uniform(low, high, shape)


def indices(*shape: int, high: int) -> np.ndarray:
    return random.integers(0, high, shape)


@dataclass(frozen=True)
class Case:
    """A reference and its arguments; those that are arrays of floats have gradients."""

    reference: Callable[..., Any]
    arguments: tuple[Any, ...]
    slope_of: Callable[..., Any] | None = None  # where the gradient is on purpose that of another function


CASES: dict[str, Case] = {}


def case(*arguments: Any, slope_of: Callable[..., Any] | None = None) -> Callable[[Any], Any]:
    def remembered(reference: Callable[..., Any]) -> Callable[..., Any]:
        CASES[reference.__name__] = Case(reference, arguments, slope_of)
        return reference

    return remembered


# ---- pairs -----------------------------------------------------------------------------------------------------------


@case(uniform(5, 3), uniform(4, 3), 0.7)
def rbf_kernel(x, y, gamma):
    return np.exp(-gamma * cdist(x, y, "sqeuclidean"))


@case(uniform(5, 3), uniform(4, 3))
def pair_distances(x, y):
    return cdist(x, y)


@case(uniform(5, 3), uniform(4, 3))
def chamfer_distance(x, y):
    square = cdist(x, y, "sqeuclidean")
    return square.min(1).mean() + square.min(0).mean()


@case(uniform(5, 3), uniform(5, 3), 0.2)
def info_nce(x, y, temperature):
    return -np.diag(special.log_softmax(x @ y.T / temperature, 1)).mean()


@case(uniform(6, 3), uniform(6, 3), uniform(6, 2), 3)
def windowed_attention(query, key, value, window):
    place = np.arange(len(query))
    past = place[:, None] - place
    score = np.where((past >= 0) & (past < window), query @ key.T / np.sqrt(query.shape[1]), -np.inf)
    return special.softmax(score, 1) @ value


# ---- classification --------------------------------------------------------------------------------------------------


@case(uniform(4, 5), np.eye(4, 5) + indices(4, 5, high=2) > 0)
def masked_softmax(x, mask):
    return special.softmax(np.where(mask, x, -np.inf), 1)


@case(uniform(4, 5), np.array([2, -100, 0, 4]), 0.1)
def index_cross_entropy(x, target, smoothing):
    kept = target >= 0
    truth = np.eye(x.shape[1])[target[kept]] * (1 - smoothing) + smoothing / x.shape[1]
    return -(truth * special.log_softmax(x[kept], 1)).sum() / kept.sum()


@case(uniform(4, 5), indices(4, high=5), 1.5)
def focal_loss(x, target, gamma):
    share = special.softmax(x, 1)[np.arange(len(x)), target]
    return -((1 - share) ** gamma * np.log(share)).mean()


@case(uniform(4, 6, low=-2, high=2))
def sparsemax(x):
    rows = np.sort(x, 1)[:, ::-1]
    above = rows.cumsum(1) - 1
    count = (rows * np.arange(1, x.shape[1] + 1) > above).sum(1)
    return np.maximum(x - (above[np.arange(len(x)), count - 1] / count)[:, None], 0)


@case(uniform(2, 7, low=0), uniform(2, 7, low=0), 0.5)
def dice_loss(x, target, eps):
    return np.mean(1 - (2 * (x * target).sum(1) + eps) / (x.sum(1) + target.sum(1) + eps))


# ---- segments --------------------------------------------------------------------------------------------------------


@case(uniform(7), np.array([0, 2, 1, 2, 0, 0, 1]), 3)
def segment_softmax(x, segment, segments):
    part = np.exp(x)
    return part / np.bincount(segment, part, segments)[segment]


@case(uniform(7), np.array([0, 2, 1, 2, 0, 0, 1]), 3)
def scatter_logsumexp(x, segment, segments):
    return np.array([special.logsumexp(x[segment == s]) for s in range(segments)])


@case(uniform(4, 3), indices(6, high=4), np.array([0, 0, 2, 2, 2, 1]), uniform(6), 3)
def embedding_bags(weight, index, bag, scale, bags):
    return np.stack([(weight[index] * scale[:, None])[bag == b].sum(0) for b in range(bags)])


@case(uniform(4, 3), uniform(6), indices(6, high=4), indices(6, high=4))
def message_passing(x, weight, source, target):
    matrix = np.zeros((len(x), len(x)))
    np.add.at(matrix, (target, source), weight)
    return matrix @ x


@case(uniform(7), np.array([True, False, False, True, False, True, False]))
def segmented_cumsum(x, start):
    return np.concatenate([part.cumsum() for part in np.split(x, np.flatnonzero(start)[1:])])


# ---- scans -----------------------------------------------------------------------------------------------------------


@case(uniform(6, 2), uniform(6, 2))
def decaying_sum(x, decay):
    return sum(
        np.where(np.arange(6)[:, None] >= s, x[s] * np.cumprod(np.where(np.arange(6)[:, None] > s, decay, 1), 0), 0)
        for s in range(6)
    )


@case(uniform(6, 2), uniform(2, low=0))
def moving_average(x, alpha):
    result = x.copy()
    for t in range(1, len(x)):
        result[t] = alpha * x[t] + (1 - alpha) * result[t - 1]
    return result


@case(uniform(5, 3), uniform(5, 3, low=0), uniform(3, 2), uniform(5, 2), uniform(5, 2), uniform(3))
def selective_scan(x, delta, a, b, c, skip):
    state, result = np.zeros(a.shape), np.zeros(x.shape)
    for t in range(len(x)):
        state = np.exp(delta[t][:, None] * a) * state + np.outer(delta[t] * x[t], b[t])
        result[t] = state @ c[t] + skip * x[t]
    return result


@case(uniform(5, 3), uniform(5, 3), uniform(3, low=0.1), uniform(3))
def wkv(key, value, decay, bonus):
    result = np.zeros(key.shape)
    for t in range(len(key)):
        past = np.arange(t)[:, None]
        weights = np.exp(np.vstack([-(t - 1 - past) * decay + key[:t], bonus + key[t]]))
        result[t] = (weights * value[: t + 1]).sum(0) / weights.sum(0)
    return result


@case(uniform(6), np.array([False, False, True, False, False, False]), 0.9)
def discounted_returns(reward, done, gamma):
    result = np.zeros(len(reward) + 1)
    for t in reversed(range(len(reward))):
        result[t] = reward[t] + gamma * (1 - done[t]) * result[t + 1]
    return result[:-1]


@case(uniform(5, 3), uniform(3, 3), uniform(3, 3))
def gated_recurrence(x, weight, gate):
    state, result = np.zeros(3), []
    for row in x:
        reset = special.expit(gate @ row)
        state = reset * np.tanh(row + weight @ state) + (1 - reset) * state
        result.append(state)
    return np.array(result)


@case(uniform(2, 5, low=0), uniform(2, 5, 3), uniform(2, 5, low=0.1))
def volume_rendering(density, colour, step):
    depth = density * step
    seen = np.exp(depth - depth.cumsum(1))
    return np.einsum("rt,rtc->rc", seen * -np.expm1(-depth), colour)


# ---- tables ----------------------------------------------------------------------------------------------------------


def paths(n: int, m: int) -> list[list[tuple[int, int]]]:
    """All ways from one corner of a table to the other."""
    if n < 0 or m < 0:
        return []
    if n == m == 0:
        return [[(0, 0)]]
    return [[*path, (n, m)] for before in ((n - 1, m), (n, m - 1), (n - 1, m - 1)) for path in paths(*before)]


@case(uniform(4, 3), 0.5)
def soft_dtw(cost, gamma):
    totals = [sum(cost[place] for place in path) for path in paths(3, 2)]
    return -gamma * special.logsumexp(-np.array(totals) / gamma)


@case(special.log_softmax(uniform(5, 4), 1), np.array([1, 2]))
def ctc_alignment(x, target):
    totals = []
    for path in np.ndindex(*[x.shape[1]] * len(x)):
        merged = [c for c, before in zip(path, (None, *path), strict=False) if c != before and c != 0]
        if merged == list(target):
            totals.append(sum(x[t, c] for t, c in enumerate(path)))
    return -special.logsumexp(totals)


@case(np.array(0.7), np.array([1, 2, 3, 1]), np.array([2, 2, 3, 1, 1]))
def edit_distance(change, x, y):
    table = np.add.outer(np.arange(len(x) + 1.0), np.arange(len(y) + 1.0))
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            other = table[i - 1, j - 1] + (x[i - 1] != y[j - 1]) * change
            table[i, j] = min(other, table[i - 1, j] + 1, table[i, j - 1] + 1)
    return table[-1, -1]


@case(uniform(4, 3), uniform(3, 3))
def crf_log_partition(x, transition):
    totals = []
    for path in np.ndindex(*[x.shape[1]] * len(x)):
        steps = sum(transition[i, j] for i, j in zip(path, path[1:], strict=False))
        totals.append(steps + sum(x[t, j] for t, j in enumerate(path)))
    return special.logsumexp(totals)


@case(uniform(3, 4, low=0), 0.5, 6)
def sinkhorn(cost, eps, steps):
    plan = np.exp(-cost / eps)
    for _ in range(steps):
        plan /= plan.sum(1, keepdims=True) * plan.shape[0]
        plan /= plan.sum(0, keepdims=True) * plan.shape[1]
    return plan


@case(uniform(3, 3, low=0.5), uniform(3, low=0.5), 4)
def power_iteration(matrix, start, steps):
    for _ in range(steps):
        start = matrix @ start
        size = np.linalg.norm(start)
        start = start / size
    return size


# ---- grids -----------------------------------------------------------------------------------------------------------

FIVE = np.array([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])


@case(uniform(4, 5), 0.5)
def periodic_laplacian(x, h):
    return ndimage.convolve(x, FIVE / h**2, mode="wrap")


@case(uniform(4, 5), uniform(4, 5))
def heat_step(x, diffusivity):
    return x + diffusivity * ndimage.convolve(x, FIVE, mode="nearest")


@case(uniform(4, 5))
def total_variation(x):
    down, right = np.diff(x, axis=0)[:, :-1], np.diff(x, axis=1)[:-1]
    return np.sqrt(down**2 + right**2 + 1e-6).sum()


@case(uniform(6, 2), uniform(2, 3))
def causal_convolution(x, weight):
    return np.stack([np.convolve(x[:, c], weight[c])[: len(x)] for c in range(x.shape[1])], 1)


@case(uniform(2, 4, 5), uniform(2, 4, 5), 1)
def correlation(x, y, radius):
    size, (_, h, w) = 2 * radius + 1, x.shape
    far = np.pad(y, ((0, 0), (radius, radius), (radius, radius)))
    return np.array([[(x * far[:, a : a + h, b : b + w]).mean(0) for b in range(size)] for a in range(size)])


@case(uniform(2, 5, 6), 100.0)
def rotary_embedding(x, base):
    half = x.shape[2] // 2
    turn = np.exp(1j * np.outer(np.arange(x.shape[1]), base ** (-np.arange(half) / half)))
    turned = (x[..., :half] + 1j * x[..., half:]) * turn
    return np.concatenate([turned.real, turned.imag], -1)


def between(picture: np.ndarray, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Channels of a picture between pixels, 0 outside."""
    wide = np.pad(picture, ((0, 0), (1, 1), (1, 1)))
    return np.stack([ndimage.map_coordinates(each, [y + 1, x + 1], order=1, mode="constant") for each in wide])


@case(uniform(2, 4, 5), uniform(6, 2, low=-0.5, high=3.4))
def grid_sampled(picture, grid):
    return between(picture, grid[:, 1], grid[:, 0])


@case(uniform(2, 6, 7), np.array([[0.6, 0.7, 3.9, 3.2], [1.1, 1.8, 5.2, 4.1]]), 2, 2)
def roi_aligned(picture, boxes, size, points):
    place = (np.arange(size * points) + 0.5) / (size * points)
    result = []
    for x1, y1, x2, y2 in boxes:
        y, x = np.meshgrid(y1 + (y2 - y1) * place - 0.5, x1 + (x2 - x1) * place - 0.5, indexing="ij")
        found = between(picture, y, x)
        result.append(found.reshape(len(picture), size, points, size, points).mean((2, 4)))
    return np.array(result)


@case(uniform(5, 2, low=0), uniform(2, 7, 3), 3.0, 1.5)
def hash_grid(points, table, base, growth):
    levels, entries, _ = table.shape
    result = np.zeros((len(points), levels, table.shape[2]))
    for level in range(levels):
        place = points * base * growth**level
        low = np.floor(place).astype(int)
        for a in (0, 1):
            for b in (0, 1):
                share = np.prod(np.where([a, b], place - low, 1 - (place - low)), 1)
                entry = (low[:, 0] + a + (low[:, 1] + b) * 2654435761) % entries
                result[:, level] += share[:, None] * table[level, entry]
    return result


# ---- norms and vectors -----------------------------------------------------------------------------------------------


@case(uniform(4, 5), uniform(5), uniform(5), 0.1)
def centred_norm(x, weight, bias, eps):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + eps) * weight + bias


@case(uniform(6, 4), uniform(6), 3, 0.1)
def grouped_norm(x, weight, groups, eps):
    parts = x.reshape(groups, -1)
    return (parts / np.sqrt((parts**2).mean(1, keepdims=True) + eps)).reshape(x.shape) * weight[:, None]


@case(*(q / np.linalg.norm(q, axis=1, keepdims=True) for q in [uniform(4, 4)]), uniform(4, 3))
def quaternion_rotation(rotation, vector):
    w, axis = rotation[:, :1], rotation[:, 1:]
    turn = np.cross(axis, vector)
    return vector + 2 * (w * turn + np.cross(axis, turn))


@case(uniform(5), 0.25, slope_of=lambda x, step: x)
def rounded(x, step):
    return np.rint(x / step) * step


@case(uniform(5), 0.5, slope_of=lambda x, scale: -scale * x)
def reversed_gradient(x, scale):
    return x


# ---- comparing -------------------------------------------------------------------------------------------------------


def is_differentiable(argument: Any) -> bool:
    return isinstance(argument, np.ndarray) and argument.dtype == np.float64


def differences(function: Callable[..., Any], arguments: tuple[Any, ...], k: int, weight: np.ndarray) -> np.ndarray:
    """The gradient by argument k of the results' sum with weights."""
    result = np.zeros(arguments[k].shape)
    for place in np.ndindex(result.shape):
        for factor, step in ((8, STEP), (-8, -STEP), (-1, 2 * STEP), (1, -2 * STEP)):
            moved = arguments[k].copy()
            moved[place] += step
            value = function(*arguments[:k], moved, *arguments[k + 1 :])
            result[place] += factor * (value * weight).sum() / (12 * STEP)
    return result


def errors(name: str, each: Case) -> tuple[float, float]:
    """How far the value and the gradients of an op are from the reference."""
    tensors = [sg.tensor(a) if isinstance(a, np.ndarray) else a for a in each.arguments]
    wanted = [k for k, a in enumerate(each.arguments) if is_differentiable(a)]
    for k in wanted:
        tensors[k].requires_grad_()
    result = getattr(my_ops, name)(*tensors)
    expected = np.asarray(each.reference(*each.arguments))
    assert result.shape == expected.shape, f"{name}: {tuple(result.shape)}, expected {expected.shape}"
    weight = np.asarray(random.uniform(0.5, 1.5, expected.shape))
    (result * sg.tensor(weight)).sum().backward()
    slope = each.slope_of or each.reference
    gradients = [np.abs(tensors[k].grad.numpy() - differences(slope, each.arguments, k, weight)).max() for k in wanted]
    return np.abs(result.detach().numpy() - expected).max(), max(gradients)


def main() -> int:
    wrong = 0
    print(f"{'op':24} {'value':>9} {'gradient':>9}")
    for name, each in CASES.items():
        value, gradient = errors(name, each)
        right = value < TOLERANCE and gradient < TOLERANCE
        wrong += not right
        print(f"{name:24} {value:9.1e} {gradient:9.1e}{'' if right else '   WRONG'}")
    print(f"{len(CASES)} ops, {wrong or 'none'} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
