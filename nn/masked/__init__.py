"""Tensors of which a mask says what counts: the class that `specgrad.masked` offers beside its functions."""
