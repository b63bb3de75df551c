"""Plans of recurrent layers whose sequences are of one length, and of their gradients; a cell is one step of one."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from ...compiler.passes.target import vector_registers
from ...device.threads.job import SLICE
from ...kernels.cpu.matmul import PANEL, PRODUCTS, UNIT
from ...kernels.cpu.plan import Ints, Layout, Plan, Step, are_contiguous
from ...kernels.cpu.reduce_layout import folding
from ..reduction.plans import sum_step
from . import cpu_loops as loops
from .cpu_cells import SEQUENCES, half_of

HALF = 4  # bytes of a float32: of which a panel has the most columns


class Sizes(NamedTuple):
    """The sizes of a layer: `parts` gates, of which the last is kept in two where `apart` is 1."""

    parts: int
    gap: int
    steps: int
    batch: int
    features: int
    size: int
    reverse: bool

    @property
    def rows(self) -> int:
        return self.steps * self.batch

    @property
    def gates(self) -> Ints:
        return (self.parts + self.gap, self.rows, self.size)

    @property
    def panels(self) -> Ints:
        """The shape of memory with room for the weights of the states as panels, in whatever dtype."""
        bytes_, registers = vector_registers()
        width = bytes_ * registers // HALF
        return (self.parts * self.size * -(-self.size // width) * width,)

    @property
    def shares(self) -> tuple[int, int]:
        """What threads share of all gates: units of them, and how many stay together."""
        return self.parts * self.size, half_of(self.size)

    @property
    def through_time(self) -> tuple[tuple[int, int], int]:
        return (self.batch, SEQUENCES), self.rows * self.size * self.size * self.parts // PRODUCTS


def sizes_of(x: Ints, state: Ints, batch_sizes: Ints, reverse: bool, parts: int, gap: int = 0) -> Sizes | None:
    """The sizes of a layer; None where sequences are of several lengths, or there is nothing to compute."""
    steps, batch = (len(batch_sizes), batch_sizes[0]) if batch_sizes else (x[0], x[1])
    if len(set(batch_sizes)) > 1 or not prod(x) or not prod(state) or parts * state[1] == 1:
        return None
    return Sizes(parts, gap, steps, batch, x[-1], state[1], reverse)


def projected(sizes: Sizes, biases: tuple[int, int] | None, operands: tuple[int, int], gates: tuple[int, Ints]) -> Plan:
    """The calls by which gates hold the inputs' share; `operands` are the numbers of the input and of its weights."""
    parts, gap, _, _, depth, size, _ = sizes
    begun: Plan = ()
    if biases is not None:
        repeated, lines = (parts, gap, sizes.rows, size), ((parts + gap) * sizes.rows, 1)
        begun = (Step(loops.biases_repeated, biases, (gates,), (), repeated, lines, prod(gates[1])),)
    ints = (parts, sizes.rows, depth, size, biases is not None)
    work = sizes.rows * parts * size * depth // PRODUCTS
    return (*begun, Step(loops.inputs_projected, operands, (gates,), (), ints, sizes.shares, work))


def packed(sizes: Sizes, operand: int, panels: tuple[int, Ints], across: bool) -> Step:
    parts, size = sizes.parts, sizes.size
    ints, half_tile = (parts, size, size, across), size // 2 if size % (2 * PANEL) == 0 else size
    return Step(loops.panels_filled, (operand,), (panels,), (), ints, (parts * size, half_tile), parts * size**2)


def through_time(
    kernel: object, sizes: Sizes, operands: Ints, results: tuple[tuple[int, Ints], ...], *more: int
) -> Step:
    shares, work = sizes.through_time
    ints = (sizes.steps, sizes.batch, sizes.size, sizes.reverse, *more)
    return Step(kernel, operands, results, (), ints, shares, work)


def rnn_layer(
    x: Layout,
    hidden: Layout,
    weight_ih: Layout,
    weight_hh: Layout,
    bias_ih: Layout | None,
    bias_hh: Layout | None,
    batch_sizes: Ints,
    reverse: bool,
    nonlinearity: str,
) -> Plan | None:
    sizes = sizes_of(x.shape, hidden.shape, batch_sizes, reverse, 1)
    if sizes is None or not are_contiguous(x, hidden, weight_ih, weight_hh, bias_ih, bias_hh):
        return None
    output, last, panels = (0, (*x.shape[:-1], sizes.size)), (1, hidden.shape), (2, sizes.panels)
    return (
        *projected(sizes, None if bias_ih is None else (4, 5), (0, 2), output),
        packed(sizes, 3, panels, True),
        through_time(loops.rnn_states, sizes, (1,), (output, last, panels), nonlinearity == "tanh"),
    )


def lstm_layer(
    x: Layout,
    hidden: Layout,
    cell: Layout,
    weight_ih: Layout,
    weight_hh: Layout,
    bias_ih: Layout | None,
    bias_hh: Layout | None,
    weight_hr: Layout | None,
    batch_sizes: Ints,
    reverse: bool,
) -> Plan | None:
    sizes = sizes_of(x.shape, cell.shape, batch_sizes, reverse, 4)
    if sizes is None or weight_hr is not None:
        return None
    if not are_contiguous(x, hidden, cell, weight_ih, weight_hh, bias_ih, bias_hh):
        return None
    output, last, last_cell = (0, (*x.shape[:-1], sizes.size)), (1, hidden.shape), (2, cell.shape)
    gates, cells, panels = (3, sizes.gates), (4, (sizes.rows, sizes.size)), (5, sizes.panels)
    return (
        *projected(sizes, None if bias_ih is None else (5, 6), (0, 3), gates),
        packed(sizes, 4, panels, True),
        through_time(loops.lstm_states, sizes, (1, 2), (gates, output, last, last_cell, cells, panels)),
    )


def gru_layer(
    x: Layout,
    hidden: Layout,
    weight_ih: Layout,
    weight_hh: Layout,
    bias_ih: Layout | None,
    bias_hh: Layout | None,
    batch_sizes: Ints,
    reverse: bool,
) -> Plan | None:
    sizes = sizes_of(x.shape, hidden.shape, batch_sizes, reverse, 3, 1)
    if sizes is None or not are_contiguous(x, hidden, weight_ih, weight_hh, bias_ih, bias_hh):
        return None
    output, last = (0, (*x.shape[:-1], sizes.size)), (1, hidden.shape)
    gates, panels = (2, sizes.gates), (3, sizes.panels)
    return (
        *projected(sizes, None if bias_ih is None else (4, 5), (0, 2), gates),
        packed(sizes, 3, panels, True),
        through_time(loops.gru_states, sizes, (1,), (gates, output, last, panels)),
    )


class Gradients(NamedTuple):
    """The numbers of the gradients of a layer's tensors, of those of its gates, and of what the loops work with.

    `wanted` says of each of the layer's tensors whether its gradient is: of those that are not, memory of its own is
    written to where the loops need it.
    """

    sizes: Sizes
    output_mask: tuple[bool, ...]
    states: int  # how many

    def memory(self, k: int) -> int:
        return len(self.output_mask) + k

    @property
    def gates(self) -> tuple[int, Ints]:
        return self.memory(0), self.sizes.gates

    @property
    def panels(self) -> tuple[int, Ints]:
        return self.memory(1), self.sizes.panels

    def rows(self, k: int) -> tuple[int, Ints]:
        return self.memory(2 + k), (self.sizes.rows, self.sizes.size)

    def state(self, k: int) -> tuple[int, Ints]:
        return 1 + k if self.output_mask[1 + k] else self.memory(6 + k), (self.sizes.batch, self.sizes.size)

    def before(self, values: int, initial: int, memory: tuple[int, Ints]) -> tuple[Plan, int]:
        """The calls for the values that each row was computed from, and the operand that has them."""
        if self.sizes.steps == 1:
            return (), initial
        sizes = self.sizes
        count = sizes.rows * sizes.size
        ints = (count, sizes.batch * sizes.size, sizes.reverse)
        return (Step(loops.values_before, (values, initial), (memory,), (), ints, (count, SLICE)),), ~memory[0]

    def of_tensors(self, x: int, shape: Ints, states: int, weight_ih: int) -> Plan:
        """The calls for input, weights and biases; `states` is the operand that rows were computed from."""
        parts, gap, _, _, depth, size, _ = self.sizes
        rows, gates, first = self.sizes.rows, ~self.gates[0], 1 + self.states
        steps: list[Step] = []
        work = rows * parts * size * depth // PRODUCTS
        if self.output_mask[0]:
            ints = (parts, rows, depth, size)
            steps.append(Step(loops.inputs_gradient, (gates, weight_ih), ((0, shape),), (), ints, (rows, UNIT), work))
        if self.output_mask[first]:
            steps.append(self.of_weight((gates, x), first, 0, depth))
        if self.output_mask[first + 1]:
            steps.append(self.of_weight((gates, states), first + 1, gap, size))
        return (*steps, *self.of_biases(first + 2))

    def of_weight(self, operands: tuple[int, int], number: int, gap: int, depth: int) -> Step:
        parts, size, rows = self.sizes.parts, self.sizes.size, self.sizes.rows
        ints, work = (parts, gap, rows, depth, size), rows * parts * size * depth // PRODUCTS
        result = number, (parts * size, depth)
        return Step(loops.weights_gradient, operands, (result,), (), ints, self.sizes.shares, work)

    def of_biases(self, number: int) -> Plan:
        output_mask = [number + k for k in (0, 1) if self.output_mask[number + k]]
        if not output_mask:
            return ()
        parts, gap, size = self.sizes.parts, self.sizes.gap, self.sizes.size
        saved = (parts * size,)
        sums = (self.memory(8), ((parts + gap) * size,)) if gap else (output_mask[0], saved)
        steps = [sum_step(~self.gates[0], *sums, folding(self.sizes.gates, (1,)), 1)]
        for result in output_mask if gap else output_mask[1:]:
            low = (parts - gap) * size  # the last gate is kept for each bias by itself
            runs = [(0, 0, low), (low + (result - number) * size, low, size)] if gap else [(0, 0, low)]
            steps += [Step(loops.run_copied, (~sums[0],), ((result, saved),), (), run) for run in runs]
        return tuple(steps)


def started(value: int, memory: tuple[int, Ints]) -> Step:
    """The call that copies a gradient of the results, or makes zeros where there is none."""
    return Step(loops.copied_or_zero, (value,), (memory,), rows=(prod(memory[1]), SLICE))


def rnn_layer_backward(
    output_mask: tuple[bool, ...],
    grad: Layout | None,
    grad_hidden: Layout | None,
    x: Layout | None,
    hidden: Layout | None,
    weight_ih: Layout | None,
    weight_hh: Layout | None,
    output: Layout | None,
    batch_sizes: Ints,
    reverse: bool,
    nonlinearity: str,
) -> Plan | None:
    if x is None or hidden is None or weight_ih is None or weight_hh is None or output is None:
        return None
    sizes = sizes_of(x.shape, hidden.shape, batch_sizes, reverse, 1)
    if sizes is None or not are_contiguous(grad, grad_hidden, x, hidden, weight_ih, weight_hh, output):
        return None
    result = Gradients(sizes, output_mask, 1)
    gates, state, panels = result.gates, result.state(0), result.panels
    before, states = result.before(7, 4, result.rows(0)) if output_mask[3] else ((), 4)
    return (
        started(1, gates),
        started(2, state),
        packed(sizes, 6, panels, False),
        through_time(loops.rnn_gradients, sizes, (7,), (gates, state, panels), nonlinearity == "tanh"),
        *before,
        *result.of_tensors(3, x.shape, states, 5),
    )


def lstm_layer_backward(
    output_mask: tuple[bool, ...],
    grad: Layout | None,
    grad_hidden: Layout | None,
    grad_cell: Layout | None,
    x: Layout | None,
    hidden: Layout | None,
    cell: Layout | None,
    weight_ih: Layout | None,
    weight_hh: Layout | None,
    weight_hr: Layout | None,
    output: Layout | None,
    gates: Layout | None,
    cells: Layout | None,
    batch_sizes: Ints,
    reverse: bool,
) -> Plan | None:
    if x is None or hidden is None or cell is None or weight_ih is None or weight_hh is None or weight_hr is not None:
        return None
    sizes = sizes_of(x.shape, cell.shape, batch_sizes, reverse, 4)
    saved = x, hidden, cell, weight_ih, weight_hh, output, gates, cells
    if sizes is None or not are_contiguous(grad, grad_hidden, grad_cell, *saved):
        return None
    value = Gradients(sizes, output_mask, 2)
    results = value.gates, value.rows(0), value.state(0), value.state(1), value.panels
    cells_before, before = value.before(12, 6, value.rows(1))
    states_before, states = value.before(10, 5, value.rows(2)) if output_mask[4] else ((), 5)
    return (
        *[started(1 + k, result) for k, result in enumerate(results[1:4])],
        packed(sizes, 8, value.panels, False),
        *cells_before,
        through_time(loops.lstm_gradients, sizes, (11, 12, before), results),
        *states_before,
        *value.of_tensors(4, x.shape, states, 7),
    )


def gru_layer_backward(
    output_mask: tuple[bool, ...],
    grad: Layout | None,
    grad_hidden: Layout | None,
    x: Layout | None,
    hidden: Layout | None,
    weight_ih: Layout | None,
    weight_hh: Layout | None,
    output: Layout | None,
    gates: Layout | None,
    batch_sizes: Ints,
    reverse: bool,
) -> Plan | None:
    if x is None or hidden is None or weight_ih is None or weight_hh is None or output is None:
        return None
    sizes = sizes_of(x.shape, hidden.shape, batch_sizes, reverse, 3, 1)
    if sizes is None or not are_contiguous(grad, grad_hidden, x, hidden, weight_ih, weight_hh, output, gates):
        return None
    result = Gradients(sizes, output_mask, 1)
    results = result.gates, result.rows(0), result.state(0), result.panels
    before, states = result.before(7, 4, result.rows(1))
    return (
        started(1, result.rows(0)),
        started(2, result.state(0)),
        packed(sizes, 6, result.panels, False),
        *before,
        through_time(loops.gru_gradients, sizes, (8, states), results),
        *result.of_tensors(3, x.shape, states, 5),
    )
