"""PyTorch's `torch.signal.windows`, by names: written from `torch_names.py`."""

from specgrad.runtime.ops.creation.signal_windows import bartlett as bartlett
from specgrad.runtime.ops.creation.signal_windows import blackman as blackman
from specgrad.runtime.ops.creation.signal_windows import cosine as cosine
from specgrad.runtime.ops.creation.signal_windows import exponential as exponential
from specgrad.runtime.ops.creation.signal_windows import gaussian as gaussian
from specgrad.runtime.ops.creation.signal_windows import general_cosine as general_cosine
from specgrad.runtime.ops.creation.signal_windows import general_hamming as general_hamming
from specgrad.runtime.ops.creation.signal_windows import hamming as hamming
from specgrad.runtime.ops.creation.signal_windows import hann as hann
from specgrad.runtime.ops.creation.signal_windows import kaiser as kaiser
from specgrad.runtime.ops.creation.signal_windows import nuttall as nuttall
