"""PyTorch's `torch.distributed`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.distributed.all_to_all import all_gather as all_gather
from specgrad.runtime.extensions.distributed.all_to_all import all_gather_coalesced as all_gather_coalesced
from specgrad.runtime.extensions.distributed.all_to_all import all_gather_into_tensor as all_gather_into_tensor
from specgrad.runtime.extensions.distributed.all_to_all import all_to_all as all_to_all
from specgrad.runtime.extensions.distributed.all_to_all import all_to_all_single as all_to_all_single
from specgrad.runtime.extensions.distributed.all_to_all import gather as gather
from specgrad.runtime.extensions.distributed.all_to_all import reduce_scatter as reduce_scatter
from specgrad.runtime.extensions.distributed.all_to_all import reduce_scatter_tensor as reduce_scatter_tensor
from specgrad.runtime.extensions.distributed.all_to_all import scatter as scatter
from specgrad.runtime.extensions.distributed.collectives import all_reduce as all_reduce
from specgrad.runtime.extensions.distributed.collectives import all_reduce_coalesced as all_reduce_coalesced
from specgrad.runtime.extensions.distributed.collectives import barrier as barrier
from specgrad.runtime.extensions.distributed.collectives import broadcast as broadcast
from specgrad.runtime.extensions.distributed.collectives import monitored_barrier as monitored_barrier
from specgrad.runtime.extensions.distributed.collectives import reduce as reduce
from specgrad.runtime.extensions.distributed.groups.errors import DistBackendError as DistBackendError
from specgrad.runtime.extensions.distributed.groups.errors import DistError as DistError
from specgrad.runtime.extensions.distributed.groups.errors import DistNetworkError as DistNetworkError
from specgrad.runtime.extensions.distributed.groups.errors import DistStoreError as DistStoreError
from specgrad.runtime.extensions.distributed.groups.errors import QueueEmptyError as QueueEmptyError
from specgrad.runtime.extensions.distributed.groups.process_group import ProcessGroup as ProcessGroup
from specgrad.runtime.extensions.distributed.groups.reduce_op import ReduceOp as ReduceOp
from specgrad.runtime.extensions.distributed.groups.reduce_op import premul_sum
from specgrad.runtime.extensions.distributed.groups.work import Work as Work
from specgrad.runtime.extensions.distributed.messages import P2POp as P2POp
from specgrad.runtime.extensions.distributed.messages import batch_isend_irecv as batch_isend_irecv
from specgrad.runtime.extensions.distributed.messages import irecv as irecv
from specgrad.runtime.extensions.distributed.messages import isend as isend
from specgrad.runtime.extensions.distributed.messages import recv as recv
from specgrad.runtime.extensions.distributed.messages import send as send
from specgrad.runtime.extensions.distributed.objects import all_gather_object as all_gather_object
from specgrad.runtime.extensions.distributed.objects import broadcast_object_list as broadcast_object_list
from specgrad.runtime.extensions.distributed.objects import gather_object as gather_object
from specgrad.runtime.extensions.distributed.objects import recv_object_list as recv_object_list
from specgrad.runtime.extensions.distributed.objects import scatter_object_list as scatter_object_list
from specgrad.runtime.extensions.distributed.objects import send_object_list as send_object_list
from specgrad.runtime.extensions.distributed.session import Backend as Backend
from specgrad.runtime.extensions.distributed.session import (
    get_default_backend_for_device as get_default_backend_for_device,
)
from specgrad.runtime.extensions.distributed.session import is_available as is_available
from specgrad.runtime.extensions.distributed.session import is_backend_available as is_backend_available
from specgrad.runtime.extensions.distributed.session import is_gloo_available as is_gloo_available
from specgrad.runtime.extensions.distributed.session import is_mpi_available as is_mpi_available
from specgrad.runtime.extensions.distributed.session import is_nccl_available as is_nccl_available
from specgrad.runtime.extensions.distributed.session import is_torchelastic_launched as is_torchelastic_launched
from specgrad.runtime.extensions.distributed.stores.file_store import FileStore as FileStore
from specgrad.runtime.extensions.distributed.stores.hash_store import HashStore as HashStore
from specgrad.runtime.extensions.distributed.stores.hash_store import PrefixStore as PrefixStore
from specgrad.runtime.extensions.distributed.stores.store import Store as Store
from specgrad.runtime.extensions.distributed.stores.tcp_store import TCPStore as TCPStore
from specgrad.runtime.extensions.distributed.world import GroupMember as GroupMember
from specgrad.runtime.extensions.distributed.world import default_pg_timeout as default_pg_timeout
from specgrad.runtime.extensions.distributed.world import destroy_process_group as destroy_process_group
from specgrad.runtime.extensions.distributed.world import get_backend as get_backend
from specgrad.runtime.extensions.distributed.world import get_global_rank as get_global_rank
from specgrad.runtime.extensions.distributed.world import get_group_rank as get_group_rank
from specgrad.runtime.extensions.distributed.world import get_node_local_rank as get_node_local_rank
from specgrad.runtime.extensions.distributed.world import get_process_group_ranks as get_process_group_ranks
from specgrad.runtime.extensions.distributed.world import get_rank as get_rank
from specgrad.runtime.extensions.distributed.world import get_world_size as get_world_size
from specgrad.runtime.extensions.distributed.world import init_process_group as init_process_group
from specgrad.runtime.extensions.distributed.world import is_initialized as is_initialized
from specgrad.runtime.extensions.distributed.world import new_group as new_group

from . import _composable as _composable
from . import _tensor as _tensor
from . import algorithms as algorithms
from . import checkpoint as checkpoint
from . import constants as constants
from . import device_mesh as device_mesh
from . import distributed_c10d as distributed_c10d
from . import elastic as elastic
from . import fsdp as fsdp
from . import nn as nn
from . import optim as optim
from . import rpc as rpc
from . import tensor as tensor

_make_nccl_premul_sum = premul_sum
group = GroupMember
