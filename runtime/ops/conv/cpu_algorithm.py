"""Which algorithm computes a convolution or one of its gradients: decided by the sizes, once for each combination.

- cpu_small: planes too small to fill vectors, the samples of which become one more dimension of a convolution that one
  of the others computes; one channel in and out of each group and a small odd kernel; a kernel of one element.
- cpu_channels_last: channels of the result that fill vectors, and enough places for packed weights.
- cpu_im2col: all others, as sums of shifted planes.

Where each is the fastest was measured. An algorithm has a function for each of the three results: from the geometry and
what is read and made to the plan that computes it, or None where another algorithm should.
"""

from collections.abc import Callable

from ...kernels.cpu.plan import Plan
from . import cpu_small as small
from .cpu_channels_last import gathered_input_backward, gathered_output, gathered_weight_backward
from .cpu_geometry import Call, Geometry
from .cpu_im2col import shifted_input_backward, shifted_output, shifted_weight_backward

Algorithm = Callable[[Geometry, Call], Plan | None]


def output(g: Geometry, call: Call) -> Plan:
    algorithms = small.depthwise_output, small.pointwise_output, gathered_output, shifted_output
    return planned(g, call, small.Elements(g.input_elements, 0, g.output_elements), *algorithms)


def input_gradient(g: Geometry, call: Call) -> Plan:
    """The calls for the gradient of the input; x of the call is that of the output."""
    filtered, product = small.depthwise_input_backward, small.pointwise_input_backward
    elements = small.Elements(g.output_elements, 0, g.input_elements)
    return planned(g, call, elements, filtered, product, gathered_input_backward, shifted_input_backward)


def weight_gradient(g: Geometry, call: Call) -> Plan:
    """The calls for the gradient of the weight; x of the call is the gradient of the output, w the input."""
    algorithms = small.depthwise_weight_backward, gathered_weight_backward, shifted_weight_backward
    return planned(g, call, small.Elements(g.output_elements, g.input_elements, 0), *algorithms)


def planned(g: Geometry, call: Call, elements: small.Elements, *algorithms: Algorithm) -> Plan:
    """The plan of the first algorithm that has one, of blocks of samples where planes are small."""

    def first(g: Geometry, call: Call) -> Plan:
        plans = (algorithm(g, call) for algorithm in algorithms)
        return next(plan for plan in plans if plan is not None)

    block = small.block_of_samples(g)
    return small.on_blocks(g, block, call, elements, first) if block else first(g, call)
