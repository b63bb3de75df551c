"""PyTorch's `torch.library`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.torch_compat.custom_ops import CustomOpDef as CustomOpDef
from specgrad.runtime.extensions.torch_compat.custom_ops import Library as Library
from specgrad.runtime.extensions.torch_compat.custom_ops import custom_op as custom_op
from specgrad.runtime.extensions.torch_compat.custom_ops import define as define
from specgrad.runtime.extensions.torch_compat.custom_ops import impl as impl
from specgrad.runtime.extensions.torch_compat.custom_ops import register_autograd as register_autograd
from specgrad.runtime.extensions.torch_compat.custom_ops import register_fake as register_fake
from specgrad.runtime.extensions.torch_compat.custom_ops import register_kernel as register_kernel
from specgrad.runtime.extensions.torch_compat.custom_ops import register_vmap as register_vmap

impl_abstract = register_fake
