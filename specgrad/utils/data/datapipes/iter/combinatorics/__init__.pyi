"""PyTorch's `torch.utils.data.datapipes.iter.combinatorics`, by names: written from `torch_names.py`."""

from specgrad.nn.data.pipes import Shuffler

ShufflerIterDataPipe = Shuffler
