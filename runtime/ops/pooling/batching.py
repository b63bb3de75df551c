"""The batching rule of pooling, which looks at one plane at a time."""

from __future__ import annotations

from typing import Any

from ...batching.call import Call
from ...batching.rules.shapes import as_list, merged, parted


def planes(call: Call) -> Any:
    """Examples join the samples, or the channels where there are no samples."""
    arguments = call.all_batch_first()
    for name in call.tensors():
        arguments[name] = merged(arguments[name])
    if "input_shape" in arguments:
        shape = as_list(arguments["input_shape"])
        arguments["input_shape"] = [shape[0] * call.size, *shape[1:]]
    return parted(call.run(arguments), call.size)
