"""Batching rules, by the names that entries of the spec give: how an op computes all examples of a batch at once.

A rule gets a `Call` and returns the op's result for the whole batch, with the examples in front.
"""

from ...ops.attention.batching import attend
from ...ops.conv.batching import convolve, convolve_input_backward, convolve_weight_backward
from ...ops.indexing.batching import add_rows, embed, embed_backward, pick, pick_backward, put, select_rows
from ...ops.loss.batching import (
    cross_entropy,
    negative_log_likelihood,
    negative_log_likelihood_backward,
    pointwise_loss,
    pointwise_loss_backward,
    temporal,
)
from ...ops.matmul.batching import add_product, linear, linear_weight_backward, product
from ...ops.norm.batching import normalize, normalize_by, normalize_groups, normalize_rms
from ...ops.pooling.batching import planes
from ...ops.recurrent.batching import recurrent
from ...ops.reduction.batching import everything, extreme, reduction, summed_to
from ...ops.shape.batching import ordered, windows
from ...ops.sorting.batching import middle, one_by_one, searched
from .elementwise import composite, elementwise, filling, like
from .general import drawn_each, drawn_once, dynamic, loop
from .shapes import (
    along,
    broadcasting,
    filled,
    joined,
    leading,
    new_dimension,
    reordered,
    restrided,
    restrided_sum,
    rolled,
    squeezed,
    transposed,
)

__all__ = [
    "add_product",
    "add_rows",
    "along",
    "attend",
    "broadcasting",
    "composite",
    "convolve",
    "convolve_input_backward",
    "convolve_weight_backward",
    "cross_entropy",
    "drawn_each",
    "drawn_once",
    "dynamic",
    "elementwise",
    "embed",
    "embed_backward",
    "everything",
    "extreme",
    "filled",
    "filling",
    "joined",
    "leading",
    "like",
    "linear",
    "linear_weight_backward",
    "loop",
    "middle",
    "negative_log_likelihood",
    "negative_log_likelihood_backward",
    "new_dimension",
    "normalize",
    "normalize_by",
    "normalize_groups",
    "normalize_rms",
    "one_by_one",
    "ordered",
    "pick",
    "pick_backward",
    "planes",
    "pointwise_loss",
    "pointwise_loss_backward",
    "product",
    "put",
    "recurrent",
    "reduction",
    "reordered",
    "restrided",
    "restrided_sum",
    "rolled",
    "searched",
    "select_rows",
    "squeezed",
    "summed_to",
    "temporal",
    "transposed",
    "windows",
]
