"""Messages of TensorBoard under PyTorch's name; the code is in specgrad.runtime.pytorch.summaries."""

from ...runtime.pytorch.summaries.hparams import session as hparams

__all__ = ["hparams"]
