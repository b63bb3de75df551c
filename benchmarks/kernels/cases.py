"""The ops that are timed, as data: an op is the name of its sizes and an expression, which all libraries understand.

Its names are keys of INPUTS, `torch`, `F` (its functional module), `shape` (the sizes), `dtype`, `d` (the dimension:
the last one, or the first one of columns) and `n` (the size of that).
"""

import ast
from fnmatch import fnmatchcase
from typing import NamedTuple

PASSES = "forward", "backward"  # backward is forward and backward

# `row`, with these changes: other sizes, another layout or dtype, or two threads.
SHAPES = {
    "tiny": "the smallest sizes",
    "row": "typical sizes, contiguous",
    "column": "along the first dimension; of ops without a choice, rows or channels are innermost in memory",
    "short": "short rows, small images",
    "long": "long rows, wide images",
    "broadcast": "the first dimension has stride 0",
    "strided": "the last dimension has stride 2",
    "float16": "of dtype float16",
    "threads": "with two threads",
}
SIZES = {  # what a row of the table holds: tiny, row, short and long
    "rows": ((4, 8), (1024, 1024), (32768, 8), (2, 262144)),
    "square": ((4, 8), (64, 64), (2048, 8), (1, 512)),
    "vectors": ((4, 8), (256, 64), (512, 3), (16, 16384)),
    "signal": ((1, 4, 8), (16, 32, 512), (512, 64, 8), (1, 4, 65536)),
    "image": ((1, 4, 8, 8), (4, 32, 48, 48), (64, 64, 8, 8), (1, 4, 16, 4096)),
    "volume": ((1, 4, 4, 4, 4), (2, 16, 8, 32, 32), (64, 32, 4, 4, 8), (1, 4, 8, 8, 1024)),
    "sequence": ((8, 2, 6), (64, 16, 64), (16, 128, 32), (512, 4, 64)),
}
SIZE_NAMES = "tiny", "row", "short", "long"

# tensor and vector make leaves; a tensor has the layout of the shape. Numbers are normal with a mean and a std.
INPUTS = {
    "x": "tensor(*shape)",
    "y": "tensor(*shape)",
    "near_one": "tensor(*shape, mean=1, std=0.01)",
    "patches": "tensor(shape[0], 9 * shape[1], shape[2] * shape[3])",
    "values": "tensor(*shape)",
    "grid": "tensor(shape[0], *shape[2:], 2, std=0.5)",
    "weight": "vector(shape[-1], mean=1)",
    "bias": "vector(shape[-1])",
    "scale": "vector(shape[1], mean=1)",
    "shift": "vector(shape[1])",
    "running_mean": "torch.zeros(shape[1], dtype=dtype)",
    "running_var": "torch.ones(shape[1], dtype=dtype)",
    "class_weight": "torch.linspace(0.5, 1.5, shape[1]).to(dtype)",
    "mask": "integers(2, *shape) > 0",
    "labels": "integers(shape[1], shape[0])",
    "row_index": "integers(shape[0], shape[0])",
    "bags": "integers(shape[0], max(1, shape[0] // 4), 4)",
    "reversed_index": "torch.arange(shape[0] - 1, -1, -1)",
    "line_index": "integers(n, n)",
    "index": "integers(n, *shape)",
    "flat_index": "integers(shape[0] * shape[1], shape[0] * shape[1])",
    "targets": "integers(shape[2] - 1, shape[1], shape[0] // 4) + 1",
    "input_lengths": "(shape[0],) * shape[1]",
    "target_lengths": "(shape[0] // 4,) * shape[1]",
}

CASES = {
    "reduction": {
        "sum": "rows: x.sum(d)",
        "sum_all": "rows: x.sum()",
        "nansum": "rows: x.nansum(d)",
        "mean": "rows: x.mean(d)",
        "prod": "rows: near_one.prod(d)",
        "amax": "rows: x.amax(d)",
        "max": "rows: x.max(d)",
        "argmax": "rows: x.argmax(d)",
        "any": "rows: mask.any(d)",
        "var": "rows: x.var(d)",
        "std": "rows: x.std(d)",
        "logsumexp": "rows: x.logsumexp(d)",
        "norm_1": "rows: torch.linalg.vector_norm(x, 1, d)",
        "norm_2": "rows: torch.linalg.vector_norm(x, 2, d)",
        "norm_3": "rows: torch.linalg.vector_norm(x, 3, d)",
        "norm_inf": "rows: torch.linalg.vector_norm(x, float('inf'), d)",
    },
    "scan": {
        "cumsum": "rows: x.cumsum(d)",
        "cumprod": "rows: near_one.cumprod(d)",
        "cummax": "rows: x.cummax(d)",
        "logcumsumexp": "rows: x.logcumsumexp(d)",
    },
    "softmax": {
        "softmax": "rows: F.softmax(x, d)",
        "log_softmax": "rows: F.log_softmax(x, d)",
    },
    "norm": {
        "layer_norm": "rows: F.layer_norm(x, shape[-1:], weight, bias)",
        "rms_norm": "rows: F.rms_norm(x, shape[-1:], weight)",
        "batch_norm": "image: F.batch_norm(x, running_mean, running_var, scale, shift, True)",
        "batch_norm_eval": "image: F.batch_norm(x, running_mean, running_var, scale, shift)",
        "group_norm": "image: F.group_norm(x, 2, scale, shift)",
        "instance_norm": "image: F.instance_norm(x)",
    },
    "loss": {
        "cross_entropy": "rows: F.cross_entropy(x, labels)",
        "cross_entropy_smooth": "rows: F.cross_entropy(x, labels, class_weight, label_smoothing=0.1)",
        "nll_loss": "rows: F.nll_loss(x, labels)",
        "multi_margin_loss": "rows: F.multi_margin_loss(x, labels)",
        "ctc_loss": "sequence: F.ctc_loss(F.log_softmax(x, -1), targets, input_lengths, target_lengths)",
    },
    "shape": {
        "flip": "rows: x.flip(d)",
        "roll": "rows: x.roll(3, d)",
        "cat": "rows: torch.cat((x, y), d)",
        "stack": "rows: torch.stack((x, y), d)",
        "repeat_interleave": "rows: x.repeat_interleave(2, d)",
        "tril": "rows: x.tril()",
        "triu": "rows: x.triu(1)",
        "diag_embed": "square: torch.diag_embed(x)",
        "one_hot": "square: F.one_hot(labels, shape[1])",
        "pad_constant": "image: F.pad(x, (1, 2, 2, 1), value=0.5)",
        "unfold": "image: F.unfold(x, 3, padding=1)",
        "fold": "image: F.fold(patches, shape[2:], 3, padding=1)",
    },
    "indexing": {
        "where": "rows: torch.where(mask, x, y)",
        "masked_fill": "rows: x.masked_fill(mask, 0.5)",
        "index": "rows: x[row_index]",
        "index_put": "rows: x.index_put((row_index,), values, True)",
        "index_select": "rows: x.index_select(d, line_index)",
        "index_add": "rows: x.index_add(d, line_index, values)",
        "index_copy": "rows: x.index_copy(0, reversed_index, values)",
        "gather": "rows: x.gather(d, index)",
        "take_along_dim": "rows: x.take_along_dim(index, d)",
        "take": "rows: x.take(flat_index)",
        "scatter": "rows: x.scatter(d, index, 0.5)",
        "scatter_add": "rows: x.scatter_add(d, index, values)",
        "scatter_amax": "rows: x.scatter_reduce(d, index, values, 'amax')",
    },
    "embedding": {
        "embedding": "rows: F.embedding(row_index, x)",
        "embedding_bag_sum": "rows: F.embedding_bag(bags, x, mode='sum')",
        "embedding_bag_mean": "rows: F.embedding_bag(bags, x, mode='mean')",
        "embedding_bag_max": "rows: F.embedding_bag(bags, x, mode='max')",
    },
    "image": {
        "pad_reflect": "image: F.pad(x, (1, 2, 2, 1), 'reflect')",
        "pad_replicate": "image: F.pad(x, (1, 2, 2, 1), 'replicate')",
        "pad_circular": "image: F.pad(x, (1, 2, 2, 1), 'circular')",
        "pad_reflect_1d": "signal: F.pad(x, (2, 1), 'reflect')",
        "pad_replicate_3d": "volume: F.pad(x, (1, 2, 2, 1, 1, 1), 'replicate')",
        "pixel_shuffle": "image: F.pixel_shuffle(x, 2)",
        "pixel_unshuffle": "image: F.pixel_unshuffle(x, 2)",
        "channel_shuffle": "image: F.channel_shuffle(x, 2)",
        "nearest": "image: F.interpolate(x, scale_factor=2, mode='nearest')",
        "linear_1d": "signal: F.interpolate(x, scale_factor=2, mode='linear')",
        "bilinear": "image: F.interpolate(x, scale_factor=2, mode='bilinear')",
        "bilinear_antialias": "image: F.interpolate(x, scale_factor=0.5, mode='bilinear', antialias=True)",
        "bicubic": "image: F.interpolate(x, scale_factor=2, mode='bicubic')",
        "trilinear": "volume: F.interpolate(x, scale_factor=2, mode='trilinear')",
        "grid_sample": "image: F.grid_sample(x, grid, align_corners=False)",
        "grid_sample_nearest": "image: F.grid_sample(x, grid, 'nearest', align_corners=False)",
    },
    "pooling": {
        "max_pool1d": "signal: F.max_pool1d(x, 2)",
        "max_pool2d": "image: F.max_pool2d(x, 3, 2, 1)",
        "max_pool3d": "volume: F.max_pool3d(x, 2)",
        "avg_pool1d": "signal: F.avg_pool1d(x, 2)",
        "avg_pool2d": "image: F.avg_pool2d(x, 3, 2, 1)",
        "avg_pool3d": "volume: F.avg_pool3d(x, 2)",
        "adaptive_max_pool1d": "signal: F.adaptive_max_pool1d(x, 3)",
        "adaptive_max_pool2d": "image: F.adaptive_max_pool2d(x, 3)",
        "adaptive_max_pool3d": "volume: F.adaptive_max_pool3d(x, 3)",
        "adaptive_avg_pool1d": "signal: F.adaptive_avg_pool1d(x, 3)",
        "adaptive_avg_pool2d": "image: F.adaptive_avg_pool2d(x, 3)",
        "adaptive_avg_pool3d": "volume: F.adaptive_avg_pool3d(x, 3)",
    },
    "distance": {
        "cdist": "vectors: torch.cdist(x, y)",
        "cdist_1": "vectors: torch.cdist(x, y, 1.0)",
        "pdist": "vectors: F.pdist(x)",
        "cosine_similarity": "rows: F.cosine_similarity(x, y, d)",
    },
}


class Case(NamedTuple):
    """An op at a shape: what the worker evaluates."""

    expression: str
    names: frozenset[str]
    sizes: tuple[int, ...]


def case(op: str, shape: str) -> Case:
    """The case of an op, at the sizes of a shape."""
    name, expression = next(ops[op] for ops in CASES.values() if op in ops).split(": ", 1)
    names = frozenset(node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name))
    sizes = SIZES[name][SIZE_NAMES.index(shape if shape in SIZE_NAMES else "row")]
    return Case(expression, names, sizes)


def matching(families: list[str], patterns: list[str]) -> list[str]:
    """The ops of families whose name fits one of the patterns."""
    ops = [op for family in families for op in CASES[family]]
    return [op for op in ops if any(fnmatchcase(op, pattern) for pattern in patterns)]
