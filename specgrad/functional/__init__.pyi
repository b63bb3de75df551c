"""PyTorch's `torch.functional`, by names: written from `torch_names.py`."""

from specgrad.generated.ops import cdist as cdist
from specgrad.generated.ops import istft as istft
from specgrad.generated.ops import lu as lu
from specgrad.generated.ops import norm as norm
from specgrad.generated.ops import split as split
from specgrad.generated.ops import stft as stft
from specgrad.generated.ops import unique as unique
from specgrad.generated.ops import unique_consecutive as unique_consecutive
from specgrad.generated.ops import unravel_index as unravel_index
from specgrad.runtime.ops.matmul.einsum import chain_matmul as chain_matmul
from specgrad.runtime.ops.matmul.einsum import einsum as einsum
from specgrad.runtime.ops.matmul.einsum import tensordot as tensordot
from specgrad.runtime.ops.numeric.low_rank import pca_lowrank as pca_lowrank
from specgrad.runtime.ops.numeric.low_rank import svd_lowrank as svd_lowrank
from specgrad.runtime.ops.shape.broadcast import atleast_1d as atleast_1d
from specgrad.runtime.ops.shape.broadcast import atleast_2d as atleast_2d
from specgrad.runtime.ops.shape.broadcast import atleast_3d as atleast_3d
from specgrad.runtime.ops.shape.broadcast import block_diag as block_diag
from specgrad.runtime.ops.shape.broadcast import broadcast_shapes as broadcast_shapes
from specgrad.runtime.ops.shape.broadcast import broadcast_tensors as broadcast_tensors
from specgrad.runtime.ops.shape.broadcast import cartesian_prod as cartesian_prod
from specgrad.runtime.ops.shape.broadcast import meshgrid as meshgrid
