"""Recurrent layers: RNN, LSTM, GRU."""
