"""What is said where work cannot be recorded for a graph, with the name of the function that the user called."""

from __future__ import annotations

import sys
from enum import IntEnum
from types import FrameType

from ...errors import PACKAGE, AcceleratorError

# Where functions lie that users call, and what calls them for users.
PUBLIC = (
    *("generated/ops", "generated/tensor", "nn/functional", "nn/optim", "runtime/methods", "runtime/creation"),
    *("runtime/functions", "runtime/cuda/api", "runtime/tensor/base"),
)
LAYERS = "nn/modules"


class Status(IntEnum):
    """What CUDA refuses of captures, by the numbers of CUresult."""

    UNSUPPORTED = 900
    INVALIDATED = 901
    MERGE = 902
    UNMATCHED = 903
    UNJOINED = 904
    ISOLATION = 905
    IMPLICIT = 906
    CAPTURED_EVENT = 907
    WRONG_THREAD = 908


ERROR_MESSAGES = {
    Status.UNSUPPORTED: "operation not permitted when stream is capturing",
    Status.INVALIDATED: "operation failed due to a previous error during capture",
    Status.MERGE: "operation would result in a merge of separate capture sequences",
    Status.UNMATCHED: "capture was not ended in the same stream as it began",
    Status.UNJOINED: "capturing stream has unjoined work",
    Status.ISOLATION: "dependency created on uncaptured work in another stream",
    Status.IMPLICIT: "operation would make the legacy stream depend on a capturing blocking stream",
    Status.CAPTURED_EVENT: "operation not permitted on an event last recorded in a capturing stream",
    Status.WRONG_THREAD: "attempt to terminate a thread-local capture sequence from another thread",
}
ADVICE = {
    Status.UNSUPPORTED: "a graph records work of the device alone: read its memory, wait for it and copy from the host "
    "before the capture or after it",
    Status.INVALIDATED: "the graph is lost: begin again with a new CUDAGraph",
    Status.UNJOINED: "let the stream that captures wait for every stream that has waited for it (wait_stream)",
    Status.ISOLATION: "let the stream wait before the capture begins",
    Status.CAPTURED_EVENT: "it stands for a place in a graph, and not for work that is done",
}


def refusal(status: Status, what: str = "") -> AcceleratorError:
    """The error of a call that CUDA refuses: its text, who called, what was wrong with that, and what to do."""
    advice = ADVICE.get(status)
    message = f"CUDA error: {ERROR_MESSAGES[status]} (CUDA_ERROR_{name_of(status)})"
    message += f": {calling()}() {what}" if what else ""
    return AcceleratorError(f"{message}; {advice}" if advice else message)


def name_of(status: Status) -> str:
    return status.name if status is Status.CAPTURED_EVENT else f"STREAM_CAPTURE_{status.name}"


def calling() -> str:
    """The function of this package that was called by the user, or by a layer."""
    frame: FrameType | None = sys._getframe(1)
    result = "specgrad"
    while frame is not None:
        inside = frame.f_code.co_filename.removeprefix(PACKAGE)
        if inside == frame.f_code.co_filename or inside.startswith(LAYERS):
            break
        name = frame.f_code.co_name
        if inside.startswith(PUBLIC) and (name[0] != "_" or name.endswith("__")):
            result = name
        frame = frame.f_back
    return result
