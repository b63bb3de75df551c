"""PyTorch's `torch.utils.data.datapipes.iter.selecting`, by names: written from `torch_names.py`."""

from specgrad.nn.data.pipes import Filter

FilterIterDataPipe = Filter
