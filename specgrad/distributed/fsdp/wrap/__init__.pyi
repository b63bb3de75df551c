"""PyTorch's `torch.distributed.fsdp.wrap`, by names: written from `torch_names.py`."""

from specgrad.nn.parallel.sharded.policies import ModuleWrapPolicy as ModuleWrapPolicy
from specgrad.nn.parallel.sharded.policies import always_wrap_policy as always_wrap_policy
from specgrad.nn.parallel.sharded.policies import size_based_auto_wrap_policy as size_based_auto_wrap_policy
from specgrad.nn.parallel.sharded.policies import transformer_auto_wrap_policy as transformer_auto_wrap_policy
