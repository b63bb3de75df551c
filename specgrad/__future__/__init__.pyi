"""PyTorch's `torch.__future__`, by names: written from `torch_names.py`."""

from specgrad.nn.modules.module.convert import (
    get_overwrite_module_params_on_conversion as get_overwrite_module_params_on_conversion,
)
from specgrad.nn.modules.module.convert import (
    get_swap_module_params_on_conversion as get_swap_module_params_on_conversion,
)
from specgrad.nn.modules.module.convert import (
    set_overwrite_module_params_on_conversion as set_overwrite_module_params_on_conversion,
)
from specgrad.nn.modules.module.convert import (
    set_swap_module_params_on_conversion as set_swap_module_params_on_conversion,
)
