"""Functions and modules whose forward and backward passes are graphs: `make_graphed_callables`."""

from collections.abc import Sequence
from typing import Any

from ...autograd.backward import grad
from ...autograd.function import Function
from ...errors import RefusedValueError
from ...ops.creation import zeros_like
from ...pytree import flatten, unflatten
from ...tensor.tensor import TensorBase
from .devices import synchronize
from .graphs import CUDAGraph, Pool, graph, graph_pool_handle
from .streams import Stream, StreamContext

__all__ = ["make_graphed_callables"]


def make_graphed_callables(
    callables: Any,
    sample_args: tuple[Any, ...],
    num_warmup_iters: int = 3,
    allow_unused_input: bool = False,
    pool: Pool | None = None,
) -> Any:
    """Callables whose forward pass is the replay of a graph, and their backward pass that of another.

    They stand in training loops for what they were made of, with arguments of the shapes, dtypes and `requires_grad` of
    the samples. What they return is overwritten by their next call. A module is changed: its forward pass is a replay
    in the mode, training or not, in which it was given, and in the other one what it was.

    Args:
        callables: a function of tensors, or a module without hooks whose buffers need no gradients; or a tuple of them,
            in the order in which they will run.
        sample_args: the arguments of a call, tensors on a device; of a tuple of callables a tuple of these.
        num_warmup_iters: how often each is called before it is captured.
        allow_unused_input: whether an input may have no influence on the results.
        pool: the name of memory to share with other graphs; None gives these their own.

    Returns:
        A callable for each.

    Raises:
        AssertionError: a module with hooks or with buffers that need gradients, or an argument that is no tensor.
        RuntimeError: something in a pass cannot be recorded.

    Example:
        >>> import specgrad as sg
        >>> if sg.cuda.is_available():
        ...     layer = sg.nn.Linear(3, 2).cuda()
        ...     layer = sg.cuda.make_graphed_callables(layer, (sg.ones(4, 3, device="cuda"),))
        ...     layer(sg.ones(4, 3, device="cuda")).sum().backward()
    """
    is_one = not isinstance(callables, tuple)
    pairs = [(callables, sample_args)] if is_one else list(zip(callables, sample_args, strict=True))
    graphed = [Graphed(function, arguments) for function, arguments in pairs]
    handle = graph_pool_handle() if pool is None else pool
    synchronize()
    with StreamContext(Stream()):
        for one in graphed:
            for _ in range(num_warmup_iters):
                one.warm_up(allow_unused_input)
    synchronize()
    for one in graphed:  # in the order in which they run, as they share memory
        one.capture_forward(handle)
    for one in reversed(graphed):
        one.capture_backward(handle, allow_unused_input)
    made = tuple([one.installed() for one in graphed])
    return made[0] if is_one else made


class Graphed:
    """A callable as two graphs, over inputs, outputs and gradients that stay where they are."""

    def __init__(self, function: Any, arguments: tuple[Any, ...]) -> None:
        self.function, self.arguments = function, arguments
        self.user_args = _tensors(arguments)
        self.is_module = hasattr(function, "forward") and hasattr(function, "parameters")
        if self.is_module:
            _require_plain(function)
        self.inputs = [*self.user_args, *(function.parameters() if self.is_module else ())]
        self.requested = [each for each in self.inputs if each.requires_grad]
        self.forward_graph, self.backward_graph = CUDAGraph(), CUDAGraph()
        self.outputs: list[Any] = []
        self.structure: Any = None
        self.output_grads: list[Any] = []
        self.input_grads: list[Any] = [None] * len(self.inputs)

    def warm_up(self, allow_unused: bool) -> None:
        """Both passes, done and forgotten: what is prepared at first use is no part of the graphs."""
        outputs = [output for output in flatten(self.function(*self.arguments))[0] if output.requires_grad]
        if outputs:
            grad(outputs, self.requested, [zeros_like(output) for output in outputs], allow_unused=allow_unused)

    def capture_forward(self, pool: Pool) -> None:
        """The outputs keep what the backward pass needs until that is recorded."""
        with graph(self.forward_graph, pool):
            result = self.function(*self.arguments)
        self.outputs, self.structure = flatten(result)

    def capture_backward(self, pool: Pool, allow_unused: bool) -> None:
        self.output_grads = [zeros_like(output) if output.requires_grad else None for output in self.outputs]
        outputs = [output for output in self.outputs if output.requires_grad]
        if outputs:
            grads = [each for each in self.output_grads if each is not None]
            with graph(self.backward_graph, pool):
                result = iter(grad(outputs, self.requested, grads, allow_unused=allow_unused))
            self.input_grads = [next(result) if each.requires_grad else None for each in self.inputs]
        self.outputs = [output.detach() for output in self.outputs]

    def installed(self) -> Any:
        if not self.is_module:
            return self.call
        module, mode, before = self.function, self.function.training, self.function.forward

        def forward(*arguments: Any) -> Any:
            return self.call(*arguments) if module.training == mode else before(*arguments)

        module.forward = forward
        return module

    def call(self, *arguments: Any) -> Any:
        value = _tensors(arguments)
        if len(value) != len(self.user_args):
            raise TypeError(f"graphed callable: expected {len(self.user_args)} tensors, but got {len(value)}")
        return unflatten(_Replay.apply(self, *value, *self.inputs[len(value) :]), self.structure)


class _Replay(Function):
    @staticmethod
    def forward(ctx: Any, graphed: Graphed, *inputs: Any) -> tuple[Any, ...]:
        ctx.graphed = graphed
        _bring(graphed.user_args, inputs)
        graphed.forward_graph.replay()
        outputs = [output.detach() for output in graphed.outputs]
        fixed = [output for output, grad in zip(outputs, graphed.output_grads, strict=True) if grad is None]
        ctx.mark_non_differentiable(*fixed)
        return tuple(outputs)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:
        graphed: Graphed = ctx.graphed
        _bring(graphed.output_grads, grads)
        graphed.backward_graph.replay()
        return None, *[None if each is None else each.detach() for each in graphed.input_grads]


def _bring(static_inputs: Sequence[Any], values: Sequence[Any]) -> None:
    for static_input, value in zip(static_inputs, values, strict=False):
        if static_input is not None and static_input.data_ptr() != value.data_ptr():
            static_input.copy_(value)


def _tensors(arguments: Any) -> list[Any]:
    entry: list[Any] = flatten(arguments)[0]
    if not all(isinstance(each, TensorBase) for each in entry):
        raise RefusedValueError(
            "In the beta API, sample_args for each callable must contain only Tensors. Other types are not allowed."
        )
    return entry


def _require_plain(module: Any) -> None:
    if any(getattr(module, table, ()) for table in ("_backward_hooks", "_forward_hooks", "_forward_pre_hooks")):
        raise RefusedValueError(
            "Modules must not have hooks registered at the time they are passed. However, registering hooks on modules "
            "after passing them through make_graphed_callables is allowed."
        )
    if any(buffer.requires_grad for buffer in module.buffers()):
        raise RefusedValueError(
            "In any :class:`~torch.nn.Module` passed to :func:`~make_graphed_callables`, only parameters may be "
            "trainable. All buffers must have ``requires_grad=False``."
        )
