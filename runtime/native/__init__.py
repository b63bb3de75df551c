"""The way of a small op from its call to its result, in machine code that is made of the Python written here.

A call on small tensors spends its time in the interpreter. What is written here does the same as functions of
addresses: slots are words at fixed distances, and CPython's and NumPy's C functions do what needs them."""
