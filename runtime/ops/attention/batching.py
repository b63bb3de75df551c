"""Attention: the examples of a batch are more items of its own batch."""

from __future__ import annotations

from typing import Any

from ...batching.call import Call, belongs
from ...batching.rules.shapes import merged, parted


def attend(call: Call) -> Any:
    """All items of all examples at once; what broadcasts over items is repeated where it differs between examples."""
    arguments, items = dict(call.arguments), call.first._shape[0]
    for name, value in call.tensors().items():
        if name in ("input", "key", "value"):
            arguments[name] = merged(call.batch_first(value))
        elif belongs(value, call.level) or value._shape[0] != 1:
            batch_first = call.batch_first(value)
            arguments[name] = merged(batch_first.expand((call.size, items, *batch_first._shape[2:])))
    return tuple([parted(result, call.size) for result in call.run(arguments)])
