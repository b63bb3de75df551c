"""Inference mode: which threads are in it, and what tensors that are made there have in the place of a version counter.

A tensor's memory has a count of writes, which nodes note when they save the tensor (`tensor/base.py`). Inference
tensors have `UNTRACKED`, which cannot be noted, and counts nothing: so what saves and what writes finds them where it
looks at that count anyway, and other tensors cost nothing more. Native code reads `inferring` where it makes a tensor.
"""

from __future__ import annotations

from typing import Any

from .thread_state import mode

SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `no_grad()` instead of `inference_mode()`."
)
WRITTEN = (
    "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a normal "
    "tensor before doing inplace update. See https://github.com/pytorch/rfcs/pull/17 for more details."
)

inferring: list[None] = []  # as many items as threads are in the mode: nearly always empty, which is soon seen


class Inference(list[Any]):
    """`[count, op]` of an inference tensor: who reads the count by its number, as nodes that save a tensor do, gets the
    error. All others take the list apart (`count, op = writes`)."""

    def __getitem__(self, position: Any) -> Any:
        if position == 0 and mode.inference is not None:
            raise RuntimeError(SAVED)
        return super().__getitem__(position)


class Uncounted(int):
    """The count of writes where none are counted: it stays the same, and refuses to go up outside the mode."""

    def __add__(self, more: int) -> int:
        if not mode.inference:
            raise RuntimeError(WRITTEN)
        return self


UNTRACKED = Inference([Uncounted(), ""])  # of all inference tensors


def switch(state: dict[str, Any], requested: bool | None) -> None:
    """Let the thread that has this state of `mode` enter the mode, or leave it."""
    before = state["inference"]
    if requested and not before:
        inferring.append(None)
    state["inference"] = requested
    if before and not requested:
        inferring.pop()


def first_writes() -> Inference | None:
    """What a tensor that this thread makes has in the place of a count of writes: None says that there are none yet."""
    return UNTRACKED if mode.inference else None


def is_inference(tensor: Any) -> bool:
    return type(tensor._version_counter) is Inference


def current_version(tensor: Any) -> int:
    """How often a tensor's memory has been written to, as far as that is counted: for who does not save the tensor."""
    writes = tensor._version_counter
    if writes is None:
        return 0
    count, _ = writes
    return count


def inference_writes(tensor: Any) -> Inference | None:
    """What a tensor over the memory of this one has if its writes are counted apart: of an inference tensor's memory it
    is one too, which may be written to, and cannot be saved."""
    if not is_inference(tensor):
        return None
    return UNTRACKED if mode.inference else Inference([0, ""])


def check_written(tensor: Any) -> None:
    """Refuse a write to an inference tensor outside the mode, before anything is written.

    Raises:
        RuntimeError: this is such a write.
    """
    if tensor._version_counter is UNTRACKED and not mode.inference:
        raise RuntimeError(WRITTEN)
