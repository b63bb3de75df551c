"""Process groups on MPI, with torch.distributed's API. The code is in specgrad.runtime.extensions.distributed."""

from .. import torch_modules as _torch_modules
from ..runtime.extensions.distributed.all_to_all import (
    all_gather,
    all_gather_coalesced,
    all_gather_into_tensor,
    all_to_all,
    all_to_all_single,
    gather,
    reduce_scatter,
    reduce_scatter_tensor,
    scatter,
)
from ..runtime.extensions.distributed.collectives import (
    all_reduce,
    all_reduce_coalesced,
    barrier,
    broadcast,
    monitored_barrier,
    reduce,
)
from ..runtime.extensions.distributed.groups.errors import (
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
    QueueEmptyError,
)
from ..runtime.extensions.distributed.groups.process_group import ProcessGroup
from ..runtime.extensions.distributed.groups.reduce_op import ReduceOp
from ..runtime.extensions.distributed.groups.reduce_op import premul_sum as _make_nccl_premul_sum  # noqa: F401
from ..runtime.extensions.distributed.groups.work import Work
from ..runtime.extensions.distributed.messages import P2POp, batch_isend_irecv, irecv, isend, recv, send
from ..runtime.extensions.distributed.objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from ..runtime.extensions.distributed.session import (
    Backend,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
)
from ..runtime.extensions.distributed.stores.file_store import FileStore
from ..runtime.extensions.distributed.stores.hash_store import HashStore, PrefixStore
from ..runtime.extensions.distributed.stores.store import Store
from ..runtime.extensions.distributed.stores.tcp_store import TCPStore
from ..runtime.extensions.distributed.world import (
    GroupMember,
    default_pg_timeout,
    destroy_process_group,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    init_process_group,
    is_initialized,
    new_group,
)
from ..runtime.extensions.distributed.world import GroupMember as group
from . import device_mesh as device_mesh

__all__ = [
    "Backend",
    "DistBackendError",
    "DistError",
    "DistNetworkError",
    "DistStoreError",
    "FileStore",
    "GroupMember",
    "HashStore",
    "P2POp",
    "PrefixStore",
    "ProcessGroup",
    "QueueEmptyError",
    "ReduceOp",
    "Store",
    "TCPStore",
    "Work",
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_reduce_coalesced",
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
    "get_node_local_rank",
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
    "recv_object_list",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
]

_torch_modules.attach(__name__)
