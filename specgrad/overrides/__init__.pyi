"""PyTorch's `torch.overrides`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.torch_compat.overrides_api import get_ignored_functions as get_ignored_functions
from specgrad.runtime.extensions.torch_compat.overrides_api import (
    get_overridable_functions as get_overridable_functions,
)
from specgrad.runtime.extensions.torch_compat.overrides_api import get_testing_overrides as get_testing_overrides
from specgrad.runtime.extensions.torch_compat.overrides_api import handle_torch_function as handle_torch_function
from specgrad.runtime.extensions.torch_compat.overrides_api import has_torch_function as has_torch_function
from specgrad.runtime.extensions.torch_compat.overrides_api import has_torch_function_unary as has_torch_function_unary
from specgrad.runtime.extensions.torch_compat.overrides_api import (
    has_torch_function_variadic as has_torch_function_variadic,
)
from specgrad.runtime.extensions.torch_compat.overrides_api import is_tensor_like as is_tensor_like
from specgrad.runtime.extensions.torch_compat.overrides_api import (
    is_tensor_method_or_property as is_tensor_method_or_property,
)
from specgrad.runtime.extensions.torch_compat.overrides_api import resolve_name as resolve_name
from specgrad.runtime.extensions.torch_compat.overrides_api import wrap_torch_function as wrap_torch_function
from specgrad.runtime.tensor.override_modes import BaseTorchFunctionMode as BaseTorchFunctionMode
from specgrad.runtime.tensor.override_modes import TorchFunctionMode as TorchFunctionMode
