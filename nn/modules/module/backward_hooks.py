"""Identity functions around a Module's inputs and outputs, through which its backward hooks see gradients.

Backward reaches the identity on the outputs first (there the pre-hooks run), then the module's own operations, then
the identity on the inputs (there the hooks run).
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.autograd.function import Function
from ....runtime.tensor.grad_mode import is_grad_enabled

Hook = Callable[..., Any]


class _Identity(Function):
    """Passes tensors through; their gradients pass through `exchange`, missing ones as zeros or as None."""

    @staticmethod
    def forward(ctx: Any, swap_grads: Hook, zeros: bool, *tensors: Tensor) -> Any:
        ctx.swap_grads = swap_grads
        ctx.set_materialize_grads(zeros)
        results = tuple(t.view_as(t) for t in tensors)
        ctx.mark_non_differentiable(*(r for r, t in zip(results, tensors, strict=True) if not t.requires_grad))
        return results

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return None, None, *ctx.swap_grads(grads)


class BackwardHooks:
    """The backward hooks of one call of a module, and the gradients seen so far."""

    def __init__(self, module: Any, pre_hooks: Sequence[Hook], hooks: Sequence[Hook]) -> None:
        self.module, self.pre_hooks, self.hooks = module, pre_hooks, hooks
        self.inputs = 0
        self.outputs = 0
        self.input_indices: list[int] | None = None  # which inputs are tensors in the graph; None without any
        self.output_indices: list[int] | None = None
        self.grad_outputs: tuple[Any, ...] | None = None

    def watch_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments of the call, `args`, tensors among them replaced by watched ones."""
        self.inputs = len(args)
        args, self.input_indices = _watch(args, self._on_input_grads, zeros=True)
        return args

    def watch_outputs(self, result: Any) -> Any:
        """The result of the call, a tensor or the tensors in a tuple replaced by watched ones."""
        outputs = result if isinstance(result, tuple) else (result,)
        if not isinstance(result, (tuple, Tensor)):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}",
                stacklevel=4,
            )
        self.outputs = len(outputs)
        watched, self.output_indices = _watch(outputs, self._on_output_grads, zeros=False)
        return watched if isinstance(result, tuple) else watched[0]

    def _on_output_grads(self, grads: Sequence[Any]) -> Sequence[Any]:
        assert self.output_indices is not None
        current = _scattered(self.output_indices, grads, self.outputs)
        for hook in self.pre_hooks:
            current = _accepted("Backward pre hook", "grad_output", hook(self.module, current), current)
        self.grad_outputs = current
        if self.input_indices is None:
            self._call_without_inputs()
        return [current[i] for i in self.output_indices]

    def _on_input_grads(self, grads: Sequence[Any]) -> Sequence[Any]:
        assert self.input_indices is not None
        if self.grad_outputs is None:
            return grads
        current = _scattered(self.input_indices, grads, self.inputs)
        for hook in self.hooks:
            result = hook(self.module, current, self.grad_outputs)
            current = _accepted("Backward hook", "grad_input", result, current)
        self.grad_outputs = None
        return [current[i] for i in self.input_indices]

    def _call_without_inputs(self) -> None:
        missing = (None,) * self.inputs
        for hook in self.hooks:
            result = hook(self.module, missing, self.grad_outputs)
            if result is not None and not (isinstance(result, tuple) and all(grad is None for grad in result)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None "
                    "for all gradients."
                )
        self.grad_outputs = None


def _watch(values: tuple[Any, ...], swap_grads: Hook, zeros: bool) -> tuple[tuple[Any, ...], list[int] | None]:
    indices = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    if not is_grad_enabled() or not any(values[i].requires_grad for i in indices):
        return values, None
    watched = _Identity.apply(swap_grads, zeros, *(values[i] for i in indices))
    replaced = list(values)
    for index, tensor in zip(indices, watched, strict=True):
        replaced[index] = tensor
    make = getattr(type(values), "_make", tuple)  # named tuples keep their class
    return make(replaced), indices


def _scattered(indices: list[int], grads: Sequence[Any], size: int) -> tuple[Any, ...]:
    full: list[Any] = [None] * size
    for index, grad in zip(indices, grads, strict=True):
        full[index] = grad
    return tuple(full)


def _accepted(hook: str, what: str, result: Any, current: tuple[Any, ...]) -> tuple[Any, ...]:
    if result is None:
        return current
    result = result if isinstance(result, tuple) else (result,)
    if len(result) != len(current):
        raise RuntimeError(
            f"{hook} returned an invalid number of {what}, got {len(result)}, but expected {len(current)}"
        )
    return result


class BackwardHook(BackwardHooks):
    """The backward hooks of one call, under PyTorch's names: wrap its inputs, make it, wrap its outputs.

    Args:
        module: what the hooks are called with first.
        user_hooks: called with the gradients of inputs and outputs.
        user_pre_hooks: called with those of the outputs, before.
    """

    def __init__(self, module: Any, user_hooks: Sequence[Hook], user_pre_hooks: Sequence[Hook]) -> None:
        super().__init__(module, user_pre_hooks, user_hooks)

    setup_input_hook = BackwardHooks.watch_inputs
    setup_output_hook = BackwardHooks.watch_outputs
