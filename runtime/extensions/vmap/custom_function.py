"""Custom Functions under vmap: by the user's static method `vmap`, or by a rule that is generated.

With `generate_vmap_rule = True` the user's forward and backward run inside a vmap level of their own. What the user
saves is kept as whole batches, so the graph holds ordinary tensors; for backward it becomes examples again.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...autograd.forward_mode import levels_of
from ...autograd.function import Function
from ...autograd.function_context import FunctionCtx, tensors_in
from ...autograd.function_node import check_count, checked, padded_tuple
from ...errors import type_name
from ...namespace import op
from ...pytree import broadcast_prefix, children, flatten, unflatten
from ...tensor.grad_mode import mode
from ...tensor.observers import NOT_HANDLED
from ...tensor.tensor import TensorBase
from .batched_tensor import batch_first, level_of, wrap
from .dims import outside, running_levels, vmap_level
from .intercept import innermost


class VmapInfo(NamedTuple):
    """The first argument of a `vmap` static method: the number of examples, and how random numbers are drawn."""

    batch_size: int
    randomness: str


def by_own_rule(cls: Any, info: VmapInfo, batched: Sequence[bool], spec: Any, values: Sequence[Any]) -> Any:
    in_dims = unflatten([0 if b else None for b in batched], spec)
    return cls.vmap(info, in_dims, *unflatten(values, spec))


def as_examples(returned: Any, level: int) -> Any:
    if not isinstance(returned, tuple) or len(returned) != 2:
        count = f"{len(returned)} returns" if isinstance(returned, tuple) else f"a {type(returned)}"
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            f"compatible with the output. Got {count} instead"
        )
    output, out_dims = returned
    leaves, spec = flatten(output)
    dims = broadcast_prefix(out_dims, output)
    if dims is None:
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`, {type_name(output)}"
        )
    return unflatten([_as_example(leaf, dim, level) for leaf, dim in zip(leaves, dims, strict=True)], spec)


def _as_example(leaf: Any, dim: Any, level: int) -> Any:
    if dim is None or not isinstance(leaf, TensorBase):
        return leaf
    if not isinstance(dim, int):
        raise TypeError(f"The autograd.Function's vmap staticmethod: expected out_dims of ints, got {type_name(dim)}")
    return wrap(op.movedim(leaf, dim, 0) if dim else leaf, level)


_OF_THE_CALL = ("to_save", "saved_for_forward", "dirty_tensors", "non_differentiable")


def generated(cls: Any) -> Any:
    """The Function of whole batches; its first argument is the `BatchedCall` of the call."""
    if "_generated" not in cls.__dict__:
        methods = {
            "forward": lambda call, *values: call.forward(values),
            "setup_context": lambda ctx, inputs, output: inputs[0].hand_over(ctx),
            "backward": lambda ctx, *grads: (None, *ctx.batched_call.backward(ctx, grads)),
        }
        if cls.jvp is not Function.jvp:
            methods["jvp"] = lambda ctx, _, *tangents: ctx.batched_call.push_forward(ctx, tangents)
        namespace = {name: staticmethod(method) for name, method in methods.items()}
        cls._generated = type(f"Vmapped{cls.__name__}", (Function,), {**namespace, "generate_vmap_rule": True})
    return cls._generated


class BatchedCall:
    """One call: which of its arguments and outputs differ between the examples, and their structures."""

    def __init__(self, cls: Any, info: VmapInfo, level: int, batched: Sequence[bool], spec: Any) -> None:
        self.cls = cls
        self.info = info
        self.level = level  # of the vmap around the call
        self.batched = batched
        self.spec = spec
        self.returned: Any = NOT_HANDLED  # what the user's own rule has given already
        self.metas: list[Any] = []
        self.out_batched: list[bool] = []
        self.out_spec: Any = None
        self.running: Any = None

    def examples(self, values: Sequence[Any], batched: Sequence[bool], level: int) -> list[Any]:
        return [wrap(v, level) if b and v is not None else v for v, b in zip(values, batched, strict=True)]

    def forward(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """The user's forward, or own rule, and setup_context, whose ctx waits for `hand_over`."""
        with vmap_level(*self.info) as level:
            examples = self.examples(values, self.batched, level)
            self.metas = [(e._shape, e._dtype) if isinstance(e, TensorBase) else None for e in examples]
            args = unflatten(examples, self.spec)
            ctx = FunctionCtx(tuple([isinstance(a, TensorBase) and a._requires_grad for a in args]))
            output = self.cls.forward(*args) if self.cls.generate_vmap_rule else self._own(values, level)
            self.cls.setup_context(ctx, args, output)
            outputs, self.out_spec = flatten(output)
        self.running = ctx, level, [o for o in outputs if not any(o is top for top in _items(output))]
        self.out_batched = [level_of(o) == level for o in outputs]
        return tuple([_unbatched(o, level) for o in outputs])

    def _own(self, values: Sequence[Any], level: int) -> Any:
        if self.returned is NOT_HANDLED:
            self.returned = by_own_rule(self.cls, self.info, self.batched, self.spec, values)
        output, self.returned = as_examples(self.returned, level), None
        return output

    def hand_over(self, ctx: Any) -> None:
        """Repeat on the ctx of whole batches what the user's setup_context did on that of an example."""
        own, level, nested = self.running
        self.running = None
        ctx.batched_call = self
        ctx.set_materialize_grads(own.materialize_grads)
        ctx.mark_dirty(*_unbatched(own.dirty_tensors, level))
        ctx.mark_non_differentiable(*_unbatched((*own.non_differentiable, *tensors_in(nested)), level))
        ctx.save_for_backward(*_unbatched(own.to_save, level))
        ctx.saved_batched = _belong(own.to_save, level)
        if own.saved_for_forward is not None:
            ctx.save_for_forward(*_unbatched(own.saved_for_forward, level))
            ctx.forward_batched = _belong(own.saved_for_forward, level)
        keep_attributes(ctx, own, level)

    def context(self, ctx: Any, batched: Sequence[bool], level: int) -> FunctionCtx:
        saved = tuple(self.examples(ctx.saved_tensors, batched, level))
        own = FunctionCtx()
        values, flags, spec = ctx.attributes
        own.__dict__.update(unflatten(self.examples(values, flags, level), spec), _forward_saved=saved)
        return own

    def backward(self, ctx: Any, grads: Sequence[Any]) -> list[Any]:
        with vmap_level(*self.info) as level:
            own = self.context(ctx, ctx.saved_batched, level)
            value = unflatten(self.examples(grads, self.out_batched, level), self.out_spec)
            result = self.cls._gradient_rule()(own, *_of_tensors(value))
            result = result if isinstance(result, tuple) else (result,)
            del own._forward_saved
            keep_attributes(ctx, own, level)
            return self._gathered(f"{self.cls.__name__}Backward", result, ctx.needs_input_grad[1:], level)

    def _gathered(self, name: str, match: tuple[Any, ...], needed: Sequence[bool], level: int) -> list[Any]:
        args = unflatten(range(len(self.metas)), self.spec)
        check_count(name, match, len(args))
        result: list[Any] = [None] * len(self.metas)
        for index, (arg_index, grad) in enumerate(zip(args, match, strict=False)):
            if grad is not None:
                meta, requested = (None, False) if children(arg_index) else (self.metas[arg_index], needed[arg_index])
                grad = checked(name, index, grad, meta, requested)
                result[arg_index] = None if grad is None else self._batch_first(grad, self.batched[arg_index], level)
        return result

    def _batch_first(self, grad: Any, batched: bool, level: int) -> Any:
        """A gradient of a whole batch; that of what all examples share is the sum of theirs."""
        if batched:
            return batch_first(grad, level, self.info.batch_size)
        return grad.value.sum(0) if level_of(grad) == level else grad

    def push_forward(self, ctx: Any, tangents: Sequence[Any]) -> tuple[Any, ...]:
        with vmap_level(*self.info) as level:
            own = self.context(ctx, getattr(ctx, "forward_batched", ()), level)
            args = unflatten(self.examples(tangents, self.batched, level), self.spec)
            numbers = unflatten(range(len(self.out_batched)), self.out_spec)
            value = padded_tuple(self.cls.jvp(own, *_of_tensors(args)), len(_items(numbers)))
            result: list[Any] = [None] * len(self.out_batched)
            for number, tangent in zip(_items(numbers), value, strict=True):
                if tangent is not None and not children(number):
                    result[number] = self._tangent(tangent, self.out_batched[number], level)
        return tuple(result)

    def _tangent(self, tangent: Any, batched: bool, level: int) -> Any:
        """A tangent of a whole batch; of an output that all examples share, one that may differ between them."""
        if batched and isinstance(tangent, TensorBase):
            return batch_first(tangent, level, self.info.batch_size)
        return wrap(tangent.value, self.level) if level_of(tangent) == level else tangent


def keep_attributes(ctx: Any, own: FunctionCtx, level: int) -> None:
    values, spec = flatten({name: v for name, v in own.__dict__.items() if name not in _OF_THE_CALL})
    ctx.attributes = list(_unbatched(values, level)), _belong(values, level), spec


def _items(output: Any) -> tuple[Any, ...]:
    return output if isinstance(output, tuple) else (output,)


def _of_tensors(value: Any) -> list[Any]:
    return [None if children(item) is not None else item for item in _items(value)]


def _unbatched(value: Any, level: int) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple([_unbatched(v, level) for v in value])
    return value.value if level_of(value) == level else value


def _belong(values: Sequence[Any], level: int) -> list[bool]:
    return [level_of(v) == level for v in values]


_HELP = "See 'Extending torch.func with autograd.Function' in PyTorch's documentation"


def apply_batched(cls: Any, args: tuple[Any, ...]) -> Any:
    leaves, spec = flatten(args)
    level, size = innermost(leaves)
    if not level:
        return NOT_HANDLED
    values = [_outside(leaf, level, size) for leaf in leaves]
    if cls.setup_context is Function.setup_context and not (mode.grad or levels_of(tensors_in(values))):
        return NOT_HANDLED  # nothing is differentiated: forward computes on examples as any function does
    _check_rule(cls)
    batched = [value is not leaf for value, leaf in zip(values, leaves, strict=True)]
    info = VmapInfo(size, next((r.randomness for r in running_levels() if r.number == level), "error"))
    with outside(level):
        return _by_rule(cls, BatchedCall(cls, info, level, batched, spec), values)


def _by_rule(cls: Any, call: BatchedCall, values: list[Any]) -> Any:
    if not cls.generate_vmap_rule:
        returned = by_own_rule(cls, call.info, call.batched, call.spec, values)
        if not _is_cut_off(values, returned):
            return as_examples(returned, call.level)
        call.returned = NOT_HANDLED if innermost(values)[0] else returned
    results = generated(cls).apply(call, *values)
    matches = [wrap(r, call.level) if b else r for r, b in zip(results, call.out_batched, strict=True)]
    return unflatten(matches, call.out_spec)


def _is_cut_off(values: Sequence[Any], returned: Any) -> bool:
    """Whether derivatives get lost in the user's rule, as in one that computes with NumPy: backward knows them."""
    value, outputs = tensors_in(values), tensors_in(flatten(returned)[0])
    recorded = mode.grad and any(v._requires_grad for v in value) and not any(o._requires_grad for o in outputs)
    return recorded or bool(levels_of(value) and not levels_of(outputs))


def _check_rule(cls: Any) -> None:
    if cls.setup_context is Function.setup_context:
        raise RuntimeError(
            f"{cls.__name__}: In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, "
            f"...), it must override the setup_context staticmethod. {_HELP}"
        )
    if cls.generate_vmap_rule and cls.vmap is not Function.vmap:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap "
            "staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid "
            f"ambiguity. {_HELP}"
        )
    if not cls.generate_vmap_rule and cls.vmap is Function.vmap:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement "
            f"the vmap staticmethod or set generate_vmap_rule=True. {_HELP}"
        )


def _outside(leaf: Any, level: int, size: int) -> Any:
    if not isinstance(leaf, TensorBase):
        return leaf
    tangents = (leaf._tangent or {}).values()
    return batch_first(leaf, level, size) if max(map(level_of, (leaf, *tangents))) >= level else leaf
