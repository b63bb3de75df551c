"""PyTorch's `torch.utils.data.datapipes.iter`, by names: written from `torch_names.py`."""

from specgrad.nn.data.pipes import Batcher as Batcher
from specgrad.nn.data.pipes import Collator as Collator
from specgrad.nn.data.pipes import Concater as Concater
from specgrad.nn.data.pipes import Filter as Filter
from specgrad.nn.data.pipes import IterableWrapper as IterableWrapper
from specgrad.nn.data.pipes import IterDataPipe as IterDataPipe
from specgrad.nn.data.pipes import Mapper as Mapper
from specgrad.nn.data.pipes import Shuffler as Shuffler
from specgrad.nn.data.pipes import UnBatcher as UnBatcher
from specgrad.nn.data.pipes import Zipper as Zipper

from . import callable as callable
from . import combinatorics as combinatorics
from . import combining as combining
from . import grouping as grouping
from . import selecting as selecting
