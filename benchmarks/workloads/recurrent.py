"""Recurrent layers, and cells unrolled by a loop: forward and backward with the gradients of input and parameters."""

from .making import through
from .registering import workload

recurrent = workload("recurrent")
SEQUENCE = 32, 16, 64  # steps, batch, features


@recurrent
def rnn(torch):
    """State 128, 32 steps, batch 16."""
    return through(torch, torch.nn.RNN(64, 128), SEQUENCE)


@recurrent
def lstm(torch):
    """State 128, 32 steps, batch 16."""
    return through(torch, torch.nn.LSTM(64, 128), SEQUENCE)


@recurrent
def gru(torch):
    """State 128, 32 steps, batch 16."""
    return through(torch, torch.nn.GRU(64, 128), SEQUENCE)


@recurrent
def lstm_two_layers(torch):
    """Two layers of state 64, 32 steps, batch 16."""
    return through(torch, torch.nn.LSTM(64, 64, num_layers=2), SEQUENCE)


@recurrent
def gru_bidirectional(torch):
    """State 64 in each direction, 32 steps, batch 16."""
    return through(torch, torch.nn.GRU(64, 64, bidirectional=True), SEQUENCE)


@recurrent
def lstm_small(torch):
    """State 16, 8 steps, batch 1."""
    return through(torch, torch.nn.LSTM(8, 16), (8, 1, 8))


def unrolled(torch, cell, shape, states=1):
    """A cell called for each step of a sequence; the states of all steps."""

    class Unrolled(torch.nn.Module):
        """The cell in a loop."""

        def __init__(self):
            super().__init__()
            self.cell = cell

        def forward(self, x):
            zeros = torch.zeros(x.shape[1], self.cell.hidden_size)
            state = (zeros,) * states if states > 1 else zeros
            matches = []
            for each in x:
                state = self.cell(each, state)
                matches.append(state[0] if states > 1 else state)
            return torch.stack(matches)

    return through(torch, Unrolled(), shape)


@recurrent
def rnn_cell(torch):
    """RNNCell, state 32, 10 steps, batch 8."""
    return unrolled(torch, torch.nn.RNNCell(16, 32), (10, 8, 16))


@recurrent
def lstm_cell(torch):
    """LSTMCell, state 32, 10 steps, batch 8."""
    return unrolled(torch, torch.nn.LSTMCell(16, 32), (10, 8, 16), states=2)


@recurrent
def gru_cell(torch):
    """GRUCell, state 32, 10 steps, batch 8."""
    return unrolled(torch, torch.nn.GRUCell(16, 32), (10, 8, 16))


@recurrent
def lstm_cell_wide(torch):
    """LSTMCell, state 256, 10 steps, batch 32."""
    return unrolled(torch, torch.nn.LSTMCell(128, 256), (10, 32, 128), states=2)


@recurrent
def gru_cell_long(torch):
    """GRUCell, state 64, 100 steps, batch 4."""
    return unrolled(torch, torch.nn.GRUCell(32, 64), (100, 4, 32))
