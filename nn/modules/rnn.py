"""Recurrent layers under PyTorch's module path; the code is one folder up."""

from ..lstm import LSTM
from ..recurrent import GRU, RNN
from ..recurrent_base import RNNBase
from ..recurrent_cell_base import RNNCellBase
from ..recurrent_cells import GRUCell, LSTMCell, RNNCell

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase"]
