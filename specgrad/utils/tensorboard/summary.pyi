"""PyTorch's `torch.utils.tensorboard.summary`, by names: written from `torch_names.py`."""

from specgrad.runtime.pytorch.summaries.hparams import session

hparams = session
