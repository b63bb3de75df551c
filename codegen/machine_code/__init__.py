"""Machine code that comes with specgrad: which kernels, how they are compiled, what they take of a GPU."""
