"""PyTorch's `torch.utils.data`, by names: written from `torch_names.py`."""

from specgrad.nn.data import *
from specgrad.nn.data.pipes import DataChunk as DataChunk
from specgrad.nn.data.pipes import IterDataPipe as IterDataPipe
from specgrad.nn.data.pipes import MapDataPipe as MapDataPipe
from specgrad.nn.data.pipes import functional_datapipe as functional_datapipe
from specgrad.nn.data.sampler import DistributedSampler as DistributedSampler

from . import _utils as _utils
from . import dataloader as dataloader
from . import datapipes as datapipes
from . import dataset as dataset
from . import distributed as distributed
from . import sampler as sampler
