"""PyTorch's `torch.distributed.nn.functional`, by names: written from `torch_names.py`."""

from specgrad.runtime.distributed.differentiable import _all_gather_base as _all_gather_base
from specgrad.runtime.distributed.differentiable import all_gather as all_gather
from specgrad.runtime.distributed.differentiable import all_reduce as all_reduce
from specgrad.runtime.distributed.differentiable import all_to_all as all_to_all
from specgrad.runtime.distributed.differentiable import all_to_all_single as all_to_all_single
from specgrad.runtime.distributed.differentiable import broadcast as broadcast
from specgrad.runtime.distributed.differentiable import gather as gather
from specgrad.runtime.distributed.differentiable import reduce as reduce
from specgrad.runtime.distributed.differentiable import reduce_scatter as reduce_scatter
from specgrad.runtime.distributed.differentiable import scatter as scatter
from specgrad.runtime.distributed.differentiable import send_recv as send_recv
