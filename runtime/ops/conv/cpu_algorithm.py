"""Which algorithm computes a convolution or one of its gradients: decided by the sizes, once for each combination.

- cpu_batch_last: planes too small to fill vectors. The samples become one more dimension of a convolution that one of
  the other algorithms computes.
- cpu_depthwise: one channel in and one out of each group, and a small odd kernel. Each plane is filtered where it lies.
- cpu_pointwise: a kernel of one element. A product of matrices, without copies.
- cpu_gathered: channels of the result that fill vectors, and enough places for packed weights.
- cpu_shifted: all others, as sums of shifted planes.

Where each is the fastest was measured. An algorithm is a file with a function for each of the three results: from the
geometry and the size of an element in bytes to the loops that compute it, or None where another algorithm should.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from .cpu_batch_last import block_of_samples
from .cpu_depthwise import depthwise_input_backward, depthwise_output, depthwise_weight_backward
from .cpu_gathered import Gathered, gathered_input_backward, gathered_output, gathered_weight_backward
from .cpu_geometry import Geometry, Ints, Work, geometry
from .cpu_pointwise import pointwise_input_backward, pointwise_output
from .cpu_shifted import shifted_input_backward, shifted_output, shifted_weight_backward

Algorithms = tuple[
    Callable[[Geometry, int], Work | Gathered | None], ...
]  # the first one that is not None computes the result

OUTPUT: Algorithms = (depthwise_output, pointwise_output, gathered_output, shifted_output)
INPUT_BACKWARD: Algorithms = (
    depthwise_input_backward,
    pointwise_input_backward,
    gathered_input_backward,
    shifted_input_backward,
)
WEIGHT_BACKWARD: Algorithms = (depthwise_weight_backward, gathered_weight_backward, shifted_weight_backward)


class Choice(NamedTuple):
    """The algorithm chosen for one result of a convolution."""

    block: int  # samples of a block of cpu_batch_last; 0 where `work` computes the result
    work: Work | Gathered | None
    output_shape: Ints


@functools.lru_cache(maxsize=4096)
def algorithm(
    algorithms: Algorithms, itemsize: int, input_shape: Ints, weight_shape: Ints, stride: Ints, *rest: Any
) -> Choice:
    """The choice for a result of the convolution of an input, (batch, channels, ...) or (channels, ...)."""
    dims = len(stride)
    g = geometry((1,) * (dims + 2 - len(input_shape)) + input_shape, weight_shape, stride, *rest)
    output_shape = (*input_shape[: -dims - 1], weight_shape[0], *g.positions[3 - dims :])
    block = block_of_samples(g, itemsize)
    if block:
        return Choice(block, None, output_shape)
    works = (work(g, itemsize) for work in algorithms)
    return Choice(0, next(work for work in works if work is not None), output_shape)
