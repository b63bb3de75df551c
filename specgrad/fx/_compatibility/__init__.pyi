"""PyTorch's `torch.fx._compatibility`, by names: written from `torch_names.py`."""

from typing import Any, TypeVar, overload

_Same = TypeVar("_Same")

@overload
def compatibility(fn: _Same, /) -> _Same: ...
@overload
def compatibility(*args: Any, **kwargs: Any) -> Any: ...
