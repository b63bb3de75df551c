"""PyTorch's `torch.jit.annotations`, by names: written from `torch_names.py`."""

from typing import Any as Any
from typing import Dict as Dict
from typing import List as List
from typing import Optional as Optional
from typing import Tuple as Tuple
from typing import Union as Union

from specgrad.runtime.extensions.torch_compat.jit_script import BroadcastingList1 as BroadcastingList1
from specgrad.runtime.extensions.torch_compat.jit_script import BroadcastingList2 as BroadcastingList2
from specgrad.runtime.extensions.torch_compat.jit_script import BroadcastingList3 as BroadcastingList3
from specgrad.runtime.extensions.torch_compat.jit_script import BroadcastingListCls as BroadcastingListCls
