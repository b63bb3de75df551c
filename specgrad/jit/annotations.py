"""Types by which TorchScript broadcasts a number to a list: to Python the types themselves."""

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: UP035 - programs import them from here

__all__ = [
    "Any",
    "BroadcastingList1",
    "BroadcastingList2",
    "BroadcastingList3",
    "BroadcastingListCls",
    "Dict",
    "List",
    "Optional",
    "Tuple",
    "Union",
]


class BroadcastingListCls:
    """`BroadcastingList2[int]` is a number, or a list of two."""

    def __getitem__(self, types: Any) -> None:
        return None


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingListCls()
