"""PyTorch's `torch.distributed.nn.functional`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.distributed.differentiable import _all_gather_base as _all_gather_base
from specgrad.runtime.extensions.distributed.differentiable import all_gather as all_gather
from specgrad.runtime.extensions.distributed.differentiable import all_reduce as all_reduce
from specgrad.runtime.extensions.distributed.differentiable import all_to_all as all_to_all
from specgrad.runtime.extensions.distributed.differentiable import all_to_all_single as all_to_all_single
from specgrad.runtime.extensions.distributed.differentiable import broadcast as broadcast
from specgrad.runtime.extensions.distributed.differentiable import gather as gather
from specgrad.runtime.extensions.distributed.differentiable import reduce as reduce
from specgrad.runtime.extensions.distributed.differentiable import reduce_scatter as reduce_scatter
from specgrad.runtime.extensions.distributed.differentiable import scatter as scatter
from specgrad.runtime.extensions.distributed.differentiable import send_recv as send_recv
