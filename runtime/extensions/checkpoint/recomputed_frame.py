"""One checkpointed call: tensors that its ops save are dropped, and computed again when backward needs them.

While the call runs, saved-tensor hooks put a numbered `Holder` in the place of each tensor that an op saves. The first
holder that backward unpacks runs the call again: the tensor that is saved as number n then is the value of holder n.
See T. Chen, B. Xu, C. Zhang and C. Guestrin, Training deep nets with sublinear memory cost, arXiv:1604.06174.
"""

import contextlib
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from ...autograd.function import Function
from ...autograd.node import recording_node
from ...autograd.saved_tensor_hooks import saved_tensors_hooks
from ...errors import PACKAGE
from ...locks import new_lock
from ...tensor.dtypes import float32
from ...tensor.generator import default_generator, fork_rng
from ...tensor.grad_mode import enable_grad
from ...tensor.observers import Watcher, watch
from ...tensor.tensor import TensorBase, from_flat
from ..vmap.intercept import Levels, as_examples, bared


class OpLog:
    """The ops of the call and of its repetition, as lines of text."""

    def __init__(self) -> None:
        self.runs: list[list[str]] = []

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        lines: list[str] = []
        self.runs = [*self.runs[:1], lines]  # the first run, and the last
        thread, name = threading.get_ident(), f"checkpoint debug mode {id(lines)}"

        def note(result: Any) -> None:
            if threading.get_ident() == thread:
                describe(result, lines)

        watch.enter(name, Watcher(note=note))
        try:
            yield
        finally:
            watch.leave(name)

    def text(self) -> str:
        titles = ("Operators that ran in the original forward", "Operators that ran during recomputation")
        pairs = zip(titles, self.runs, strict=False)
        return "".join(f"\n\n{title} ({len(run)}):\n{''.join(run)}" for title, run in pairs)


def describe(result: Any, lines: list[str]) -> None:
    node = recording_node(result)
    if node is None:
        return
    outputs = [o for o in (result if isinstance(result, tuple) else (result,)) if isinstance(o, TensorBase)]
    made = ", ".join(f"{output.dtype}{list(output.shape)}" for output in outputs)
    frames = [frame for frame in traceback.extract_stack() if not frame.filename.startswith(PACKAGE)]
    location = "".join(traceback.format_list(frames[-1:]))
    lines.append(f"${len(lines) + 1}: {made} = {node.op_name or node.name()} ({node.spec_location})\n{location}")


class SaveInputs(Function):
    """The first argument makes sure that the call is recorded; the others are saved."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        ctx.save_for_backward(*tensors[1:])
        return tensors[0].detach()

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        raise AssertionError("a checkpoint's saved inputs were run backward")


class SavedInputs:
    """Arguments by position and by name; the tensors among them are saved by a graph node, as an op saves its own.

    So hooks in force around the call get them too, those of an outer checkpoint among them, and a tensor that is
    written to before backward is noticed. Of examples of a batch the node has all, since the vmap that they are part of
    may be over before backward.
    """

    __slots__ = ("args", "kwargs", "levels", "node", "tensors")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        values = [*args, *kwargs.values()]
        self.tensors = [position for position, value in enumerate(values) if isinstance(value, TensorBase)]
        trigger = from_flat(np.empty(0, np.float32), (0,), float32)._requiring_grad()
        matches = [bared(values[position]) for position in self.tensors]
        self.levels = [levels for _, levels in matches]
        self.node = SaveInputs.apply(trigger, *[tensor for tensor, _ in matches]).grad_fn
        others = [None if isinstance(value, TensorBase) else value for value in values]
        self.args, self.kwargs = others[: len(args)], dict(zip(kwargs, others[len(args) :], strict=True))

    def get(self, numbers: Mapping[int, int]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments as they were given, to vmaps that have these numbers now."""
        values = [*self.args, *self.kwargs.values()]
        for position, tensor, levels in zip(self.tensors, self.node.saved_tensors, self.levels, strict=True):
            values[position] = as_examples(tensor, levels, numbers)
        return values[: len(self.args)], dict(zip(self.kwargs, values[len(self.args) :], strict=True))


NAME = "specgrad.utils.checkpoint"
TIP = (
    "\n\nTip: To see which ops ran, either pass `debug=True` to `checkpoint(...)` or wrap the code block with "
    "`with specgrad.utils.checkpoint.set_checkpoint_debug_enabled(True):`"
)


class CheckpointError(RuntimeError):
    """Raised when a checkpointed function saves other tensors when it is called again.

    Args:
        message: what differs.
    """


class EnoughError(BaseException):
    """Ends a repeated call once it has saved all that is needed; no `except Exception` of the user's takes it."""


class Holder:
    """Stands for one tensor that an op of the call has saved; has its value between the repeated call and its use."""

    __slots__ = ("__weakref__", "frame", "number", "value")

    def __init__(self, frame: "Frame", number: int) -> None:
        self.frame = frame
        self.number = number
        self.value: Any = None

    def unpack(self) -> Any:
        value, self.value = self.value, None
        return self.frame.value_of(self.number) if value is None else value


class Frame:
    """One checkpointed call. `complete` is false while it still runs; `seen` describes what its ops have saved."""

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any, keep_rng: bool, early_stop: bool) -> None:
        self.function = function
        self.inputs = SavedInputs(args, kwargs)
        self.levels = Levels()
        self.rng = default_generator._state_slots() if keep_rng else None
        self.early_stop = early_stop
        self.describe: Callable[[Any], Any] = description
        self.context: AbstractContextManager[Any] = nullcontext()
        self.autocast = autocast_again()
        self.log: OpLog | None = None
        self.holders: list[weakref.ref[Holder]] = []
        self.seen: list[Any] = []
        self.complete = False
        self.lock = new_lock()

    def hooks(self) -> saved_tensors_hooks:
        return saved_tensors_hooks(self.pack, Holder.unpack)

    def logging(self) -> AbstractContextManager[Any]:
        return nullcontext() if self.log is None else self.log.recording()

    def pack(self, tensor: Any) -> Holder:
        holder = Holder(self, len(self.holders))
        self.holders.append(weakref.ref(holder))
        self.seen.append(self.describe(tensor))
        return holder

    def value_of(self, number: int) -> Any:
        """Run the call again; return one of the tensors that it saves and leave the others with their holders."""
        with self.lock:
            again = Again(self, number)
            try:
                again.run()
                return again.value
            except BaseException as error:
                for reference in self.holders:
                    if (holder := reference()) is not None:
                        holder.value = None  # what the call has saved up to here may be wrong
                if self.log is not None and isinstance(error, CheckpointError):
                    raise CheckpointError(f"{error}{self.log.text()}") from error
                raise


def autocast_again() -> Callable[[], AbstractContextManager[Any]]:
    if not watch.casts:
        return nullcontext
    from ..amp.autocast import settings_again  # not before there is a region

    return settings_again()


class Again:
    """The repeated call: `count` tensors were saved, number `requested` of them is the `value` asked for."""

    def __init__(self, frame: Frame, requested: int) -> None:
        self.frame = frame
        self.requested = requested
        self.value: Any = None
        self.count = 0
        self.differing: list[str] = []

    def run(self) -> None:
        frame = self.frame
        with fork_rng(enabled=frame.rng is not None), enable_grad(), frame.levels.running() as numbers:
            args, kwargs = frame.inputs.get(numbers)
            if frame.rng is not None:
                default_generator._restore(frame.rng)
            hooks = saved_tensors_hooks(self.keep, lambda tensor: tensor)
            with contextlib.suppress(EnoughError), frame.logging(), frame.autocast(), frame.context, hooks:
                frame.function(*args, **kwargs)
        if frame.complete:
            self.check()

    def keep(self, tensor: Any) -> Any:
        frame, number = self.frame, self.count
        if number < len(frame.holders):
            value = tensor.detach()
            holder = frame.holders[number]()
            if number == self.requested:
                self.value = value
            elif holder is not None:
                holder.value = value
            before, now = frame.seen[number], frame.describe(tensor)
            if before != now:
                metadata = f"saved metadata: {before}\nrecomputed metadata: {now}"
                self.differing.append(f"tensor at position {number}:\n{metadata}\n")
        elif frame.complete:
            more = "trying to save more tensors during recomputation than during the original forward pass."
            raise CheckpointError(f"{NAME}: {more}{TIP}")
        self.count += 1
        if frame.early_stop and frame.complete and self.count == len(frame.holders):
            raise EnoughError
        return tensor.detach()

    def check(self) -> None:
        expected = len(self.frame.holders)
        if self.count != expected:
            raise CheckpointError(
                f"{NAME}: A different number of tensors was saved during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {expected}\n"
                f"Number of tensors saved during recomputation: {self.count}.{TIP}"
            )
        if self.differing:
            raise CheckpointError(
                f"{NAME}: Recomputed values for the following tensors have different metadata than during the forward "
                f"pass.\n{''.join(self.differing)}{TIP}"
            )


def description(tensor: Any) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}
