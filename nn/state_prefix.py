"""Names in a state_dict without what wrappers put before them."""

from __future__ import annotations

from typing import Any


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix away from the names in a state_dict, in place.

    Args:
        state_dict: what `Module.state_dict` gave.
        prefix: what names may begin with, such as "module.".

    Example:
        >>> state = {"module.weight": 1, "bias": 2}
        >>> consume_prefix_in_state_dict_if_present(state, "module.")
        >>> state
        {'bias': 2, 'weight': 1}
    """
    _consume(state_dict, prefix)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is not None:
        _consume(metadata, prefix)
        if prefix.removesuffix(".") in metadata:
            metadata[""] = metadata.pop(prefix.removesuffix("."))


def _consume(names: dict[str, Any], prefix: str) -> None:
    for name in [*names]:
        if name.startswith(prefix):
            names[name[len(prefix) :]] = names.pop(name)
