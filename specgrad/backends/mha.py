"""Whether layers of transformers take PyTorch's shorter path in inference: kept, here there is one path."""

_enabled = [True]

__all__ = ["get_fastpath_enabled", "set_fastpath_enabled"]


def get_fastpath_enabled() -> bool:
    """Whether the shorter path is allowed."""
    return _enabled[0]


def set_fastpath_enabled(value: bool) -> None:
    """Allow or forbid the shorter path.

    Args:
        value: whether it is allowed.
    """
    _enabled[0] = value
