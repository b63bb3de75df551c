"""Process groups under PyTorch's name: there are none yet. The code is in specgrad.runtime.pytorch.environment."""

from ..runtime.pytorch.environment.process_groups import (
    Backend,
    GroupMember,
    ProcessGroup,
    ReduceOp,
    Store,
    Work,
    default_pg_timeout,
    init_process_group,
    is_available,
    is_backend_available,
    is_initialized,
    is_torchelastic_launched,
)
from ..runtime.pytorch.environment.process_groups import GroupMember as group
from ..runtime.pytorch.environment.process_groups import Store as FileStore
from ..runtime.pytorch.environment.process_groups import Store as HashStore
from ..runtime.pytorch.environment.process_groups import Store as P2POp
from ..runtime.pytorch.environment.process_groups import Store as PrefixStore
from ..runtime.pytorch.environment.process_groups import Store as TCPStore
from ..runtime.pytorch.environment.process_groups import is_available as is_gloo_available
from ..runtime.pytorch.environment.process_groups import is_available as is_mpi_available
from ..runtime.pytorch.environment.process_groups import is_available as is_nccl_available
from ..runtime.pytorch.environment.process_groups import needs_group as all_gather
from ..runtime.pytorch.environment.process_groups import needs_group as all_gather_into_tensor
from ..runtime.pytorch.environment.process_groups import needs_group as all_gather_object
from ..runtime.pytorch.environment.process_groups import needs_group as all_reduce
from ..runtime.pytorch.environment.process_groups import needs_group as all_to_all
from ..runtime.pytorch.environment.process_groups import needs_group as all_to_all_single
from ..runtime.pytorch.environment.process_groups import needs_group as barrier
from ..runtime.pytorch.environment.process_groups import needs_group as batch_isend_irecv
from ..runtime.pytorch.environment.process_groups import needs_group as broadcast
from ..runtime.pytorch.environment.process_groups import needs_group as broadcast_object_list
from ..runtime.pytorch.environment.process_groups import needs_group as destroy_process_group
from ..runtime.pytorch.environment.process_groups import needs_group as gather
from ..runtime.pytorch.environment.process_groups import needs_group as gather_object
from ..runtime.pytorch.environment.process_groups import needs_group as get_backend
from ..runtime.pytorch.environment.process_groups import needs_group as get_global_rank
from ..runtime.pytorch.environment.process_groups import needs_group as get_group_rank
from ..runtime.pytorch.environment.process_groups import needs_group as get_process_group_ranks
from ..runtime.pytorch.environment.process_groups import needs_group as get_rank
from ..runtime.pytorch.environment.process_groups import needs_group as get_world_size
from ..runtime.pytorch.environment.process_groups import needs_group as irecv
from ..runtime.pytorch.environment.process_groups import needs_group as isend
from ..runtime.pytorch.environment.process_groups import needs_group as monitored_barrier
from ..runtime.pytorch.environment.process_groups import needs_group as new_group
from ..runtime.pytorch.environment.process_groups import needs_group as recv
from ..runtime.pytorch.environment.process_groups import needs_group as reduce
from ..runtime.pytorch.environment.process_groups import needs_group as reduce_scatter
from ..runtime.pytorch.environment.process_groups import needs_group as reduce_scatter_tensor
from ..runtime.pytorch.environment.process_groups import needs_group as scatter
from ..runtime.pytorch.environment.process_groups import needs_group as scatter_object_list
from ..runtime.pytorch.environment.process_groups import needs_group as send
from . import device_mesh as device_mesh

__all__ = [
    "Backend",
    "FileStore",
    "GroupMember",
    "HashStore",
    "P2POp",
    "PrefixStore",
    "ProcessGroup",
    "ReduceOp",
    "Store",
    "TCPStore",
    "Work",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "broadcast_object_list",
    "default_pg_timeout",
    "destroy_process_group",
    "gather",
    "gather_object",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "group",
    "init_process_group",
    "irecv",
    "is_available",
    "is_backend_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
    "isend",
    "monitored_barrier",
    "new_group",
    "recv",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
]

from . import distributed_c10d as distributed_c10d  # which has all of the above
