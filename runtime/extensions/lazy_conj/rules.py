"""What ops whose entries have the key `marked` give for conjugates and negatives: other dtypes, and copies."""

from typing import Any

from .dispatch import Call, lazy_conj_view, viewed
from .memory import resolved


def without_conjugation(call: Call) -> Any:
    """A conjugate is computed, in memory of its own."""
    return resolved(call.first) if call.first.conjugated else call.first


def without_negation(call: Call) -> Any:
    """A negative is computed, in memory of its own."""
    return resolved(call.first) if call.first.negated else call.first


def real_part(call: Call) -> Any:
    """The real part of a conjugate is that of the number."""
    return lazy_conj_view(call, False, call.first.negated)


def imaginary_part(call: Call) -> Any:
    """The imaginary part of a conjugate is a negative."""
    return lazy_conj_view(call, False, call.first.negated is not call.first.conjugated)


def pairs(call: Call) -> Any:
    """Pairs of a negative are negatives; conjugates are refused, for only one part of them is negative."""
    if call.first.conjugated:
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
            "original."
        )
    return viewed(call)


def other_dtype(call: Call) -> Any:
    """Refused: the bytes are not those of what the tensor shows."""
    what = "conjugate view tensors" if call.first.conjugated else "tensors with negative bit set"
    raise RuntimeError(f"torch.Tensor.view is not supported for {what} when converting to a different dtype.")
