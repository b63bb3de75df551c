"""Tables of functions of float32 by pieces, a module each (`runtime/kernels/scalar/pieces.py`)."""
