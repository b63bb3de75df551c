"""Numbers that are searched for, and which of the results of a search for distinct elements are given."""

from collections.abc import Sequence
from typing import Any

from ...namespace import Tensor, op


def number_beside(rows: Tensor, number: Any) -> Tensor:
    """A number to be searched for, in the dtype of ordered floats: a wider one would be rounded on the way."""
    own = rows._dtype if rows.is_floating_point() else None
    return op.as_tensor(number, dtype=own, device=rows.device)


def chosen_outputs(result: Sequence[Tensor], inverse: bool, counts: bool) -> Any:
    outputs = [result[0], *([result[1]] if inverse else []), *([result[2]] if counts else [])]
    return tuple(outputs) if len(outputs) > 1 else outputs[0]
