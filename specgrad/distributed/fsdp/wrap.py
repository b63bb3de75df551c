"""Which modules are gathered by themselves, under PyTorch's name. The code is in specgrad.nn.parallel.sharded."""

from ...nn.parallel.sharded.wrapping import (
    ModuleWrapPolicy,
    always_wrap_policy,
    size_based_auto_wrap_policy,
    transformer_auto_wrap_policy,
)

__all__ = [
    "ModuleWrapPolicy",
    "always_wrap_policy",
    "size_based_auto_wrap_policy",
    "transformer_auto_wrap_policy",
]
