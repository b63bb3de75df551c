"""Plans of recurrent layers whose sequences are of one length, and of their gradients; a cell is one step of one."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

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
    """The sizes of a layer: `parts` gates, of which the last is kept in two where `gap` is 1."""

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


def sizes_of(
    x: Layout, state: Layout, rest: Sequence[Any], batch_sizes: Ints, reverse: bool, parts: int, gap: int = 0
) -> Sizes | None:
    """The sizes of a layer; None for several lengths, for operands that are not contiguous, or nothing to compute."""
    steps, batch = (len(batch_sizes), batch_sizes[0]) if batch_sizes else (x.shape[0], x.shape[1])
    is_empty = not prod(x.shape) or not prod(state.shape) or parts * state.shape[1] == 1
    if is_empty or len(set(batch_sizes)) > 1 or not are_contiguous(x, state, *rest):
        return None
    return Sizes(parts, gap, steps, batch, x.shape[-1], state.shape[1], reverse)


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
    ints, shares = (sizes.steps, sizes.batch, sizes.size, sizes.reverse, *more), (sizes.batch, SEQUENCES)
    return Step(kernel, operands, results, (), ints, shares, sizes.rows * sizes.size**2 * sizes.parts // PRODUCTS)


def rnn_layer(
    x: Layout, hidden: Layout, weight_ih: Layout, weight_hh: Layout, bias_ih: Layout | None, bias_hh: Layout | None,
    batch_sizes: Ints, reverse: bool, nonlinearity: str,
) -> Plan | None:  # fmt: skip
    weights = weight_ih, weight_hh, bias_ih, bias_hh
    sizes = sizes_of(x, hidden, weights, batch_sizes, reverse, 1)
    if sizes is None:
        return None
    output, last, panels = (0, (*x.shape[:-1], sizes.size)), (1, hidden.shape), (2, sizes.panels)
    return (
        *projected(sizes, (4, 5) if bias_ih else None, (0, 2), output),
        packed(sizes, 3, panels, True),
        through_time(loops.rnn_states, sizes, (1,), (output, last, panels), nonlinearity == "tanh"),
    )


def lstm_layer(
    x: Layout, hidden: Layout, cell: Layout, weight_ih: Layout, weight_hh: Layout, bias_ih: Layout | None,
    bias_hh: Layout | None, weight_hr: Layout | None, batch_sizes: Ints, reverse: bool,
) -> Plan | None:  # fmt: skip
    sizes = sizes_of(x, cell, (hidden, weight_ih, weight_hh, bias_ih, bias_hh), batch_sizes, reverse, 4)
    if sizes is None or weight_hr is not None:
        return None
    output, last, last_cell = (0, (*x.shape[:-1], sizes.size)), (1, hidden.shape), (2, cell.shape)
    gates, cells, panels = (3, sizes.gates), (4, (sizes.rows, sizes.size)), (5, sizes.panels)
    return (
        *projected(sizes, (5, 6) if bias_ih else None, (0, 3), gates),
        packed(sizes, 4, panels, True),
        through_time(loops.lstm_states, sizes, (1, 2), (gates, output, last, last_cell, cells, panels)),
    )


def gru_layer(
    x: Layout, hidden: Layout, weight_ih: Layout, weight_hh: Layout, bias_ih: Layout | None, bias_hh: Layout | None,
    batch_sizes: Ints, reverse: bool,
) -> Plan | None:  # fmt: skip
    weights = weight_ih, weight_hh, bias_ih, bias_hh
    sizes = sizes_of(x, hidden, weights, batch_sizes, reverse, 3, 1)
    if sizes is None:
        return None
    output, last = (0, (*x.shape[:-1], sizes.size)), (1, hidden.shape)
    gates, panels = (2, sizes.gates), (3, sizes.panels)
    return (
        *projected(sizes, (4, 5) if bias_ih else None, (0, 2), gates),
        packed(sizes, 3, panels, True),
        through_time(loops.gru_states, sizes, (1,), (gates, output, last, panels)),
    )


class Gradients(NamedTuple):
    """The numbers of the gradients of a layer's tensors, of those of its gates, and of what the loops work with.
    `output_mask` names the gradients that are results: of others, memory of its own is written to where loops need it.
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
        if self.sizes.steps == 1:
            return (), initial
        sizes = self.sizes
        count = sizes.rows * sizes.size
        ints = (count, sizes.batch * sizes.size, sizes.reverse)
        return (Step(loops.values_before, (values, initial), (memory,), (), ints, (count, SLICE)),), ~memory[0]

    def of_tensors(self, x: int, shape: Ints, states: int, weight_ih: int) -> Plan:
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


def gradients_of(
    output_mask: tuple[bool, ...], states: int, operands: Sequence[Any], steps: tuple[Ints, bool], *parts: int
) -> Gradients | None:
    """Operands are the gradients of the results, input, states, weights, and what forward has kept."""
    needed = operands[states + 1 : states + 6]
    if None in needed:
        return None
    sizes = sizes_of(needed[0], needed[states], operands, *steps, *parts)
    return sizes and Gradients(sizes, output_mask, states)


def rnn_layer_backward(
    output_mask: tuple[bool, ...], grad: Layout | None, grad_hidden: Layout | None, x: Layout | None,
    hidden: Layout | None, weight_ih: Layout | None, weight_hh: Layout | None, output: Layout | None, batch_sizes: Ints,
    reverse: bool, nonlinearity: str,
) -> Plan | None:  # fmt: skip
    operands = grad, grad_hidden, x, hidden, weight_ih, weight_hh, output
    result = gradients_of(output_mask, 1, operands, (batch_sizes, reverse), 1)
    if result is None or x is None:
        return None
    gates, state, panels = result.gates, result.state(0), result.panels
    before, states = result.before(7, 4, result.rows(0)) if output_mask[3] else ((), 4)
    return (
        started(1, gates),
        started(2, state),
        packed(result.sizes, 6, panels, False),
        through_time(loops.rnn_gradients, result.sizes, (7,), (gates, state, panels), nonlinearity == "tanh"),
        *before,
        *result.of_tensors(3, x.shape, states, 5),
    )


def lstm_layer_backward(
    output_mask: tuple[bool, ...], grad: Layout | None, grad_hidden: Layout | None, grad_cell: Layout | None,
    x: Layout | None, hidden: Layout | None, cell: Layout | None, weight_ih: Layout | None, weight_hh: Layout | None,
    weight_hr: Layout | None, output: Layout | None, gates: Layout | None, cells: Layout | None, batch_sizes: Ints,
    reverse: bool,
) -> Plan | None:  # fmt: skip
    operands = (grad, grad_hidden, grad_cell, x, hidden, cell, weight_ih, weight_hh, weight_hr, output, gates, cells)
    result = gradients_of(output_mask, 2, operands, (batch_sizes, reverse), 4)
    if result is None or x is None or weight_hr is not None:
        return None
    results = result.gates, result.rows(0), result.state(0), result.state(1), result.panels
    cells_before, before = result.before(12, 6, result.rows(1))
    states_before, states = result.before(10, 5, result.rows(2)) if output_mask[4] else ((), 5)
    return (
        *[started(1 + k, memory) for k, memory in enumerate(results[1:4])],
        packed(result.sizes, 8, result.panels, False),
        *cells_before,
        through_time(loops.lstm_gradients, result.sizes, (11, 12, before), results),
        *states_before,
        *result.of_tensors(4, x.shape, states, 7),
    )


def gru_layer_backward(
    output_mask: tuple[bool, ...], grad: Layout | None, grad_hidden: Layout | None, x: Layout | None,
    hidden: Layout | None, weight_ih: Layout | None, weight_hh: Layout | None, output: Layout | None,
    gates: Layout | None, batch_sizes: Ints, reverse: bool,
) -> Plan | None:  # fmt: skip
    operands = grad, grad_hidden, x, hidden, weight_ih, weight_hh, output, gates
    result = gradients_of(output_mask, 1, operands, (batch_sizes, reverse), 3, 1)
    if result is None or x is None:
        return None
    results = result.gates, result.rows(0), result.state(0), result.panels
    before, states = result.before(7, 4, result.rows(1))
    return (
        started(1, result.rows(0)),
        started(2, result.state(0)),
        packed(result.sizes, 6, result.panels, False),
        *before,
        through_time(loops.gru_gradients, result.sizes, (8, states), results),
        *result.of_tensors(3, x.shape, states, 5),
    )
