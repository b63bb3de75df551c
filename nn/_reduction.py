"""How losses are reduced, by PyTorch's numbers and by its older arguments."""

from ..runtime.errors import warn_user

_NUMBERS = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """The number of the reduction 'none', 'mean' or 'sum'; a ValueError for another word."""
    if reduction not in _NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if reduction == "elementwise_mean":
        warn_user("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
    return _NUMBERS[reduction]


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The reduction that two older arguments mean; `emit_warning` says whether to tell that they are old."""
    averaged = size_average is None or size_average
    result = "none" if reduce is not None and not reduce else "mean" if averaged else "sum"
    if emit_warning:
        warn_user(f"size_average and reduce args will be deprecated, please use reduction='{result}' instead.")
    return result


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
