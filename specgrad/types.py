"""Types for annotations, under PyTorch's name."""

import builtins
import os
from collections.abc import Sequence
from typing import IO

from .generated.tensor import Tensor
from .runtime.device.device import DeviceLike as Device
from .runtime.shapes import Size
from .runtime.tensor.dtypes import dtype as _dtype  # noqa: F401
from .runtime.tensor.memory_format import layout as _layout  # noqa: F401

Number = builtins.int | builtins.float | builtins.bool
_Number = (builtins.int, builtins.float, builtins.bool)
FileLike = str | os.PathLike[str] | IO[bytes]
_size = Size | list[builtins.int] | tuple[builtins.int, ...]
_TensorOrTensors = Tensor | Sequence[Tensor]
_int, _float, _bool, _complex = builtins.int, builtins.float, builtins.bool, builtins.complex

__all__ = ["Device", "FileLike", "Number", "Size", "Tensor"]
