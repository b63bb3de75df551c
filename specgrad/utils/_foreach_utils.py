"""Which devices have kernels for lists of tensors, as optimizers ask: lists are gone through one by one here."""

from ..runtime.functions.foreach import by_device_and_dtype as _group_tensors_by_device_and_dtype  # noqa: F401
from ..runtime.functions.foreach import has_foreach_support as _has_foreach_support  # noqa: F401
from ..runtime.functions.foreach import supported_devices as _get_foreach_kernels_supported_devices  # noqa: F401
from ..runtime.functions.foreach import supported_devices as _get_fused_kernels_supported_devices  # noqa: F401
