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
            arguments[name] = merged(call.whole(value))
        elif belongs(value, call.level) or value._shape[0] != 1:
            whole = call.whole(value)
            arguments[name] = merged(whole.expand((call.size, items, *whole._shape[2:])))
    return tuple([parted(found, call.size) for found in call.run(arguments)])
