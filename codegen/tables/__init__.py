"""Tables of functions of float32 by pieces: which functions, how polynomials are fitted, how tables are written."""
