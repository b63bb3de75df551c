"""The way of a small op from its call to its result, in machine code that is made of the Python written here.

A call on small tensors spends its time in the interpreter: looking up attributes, making an array, a tensor and a node,
asking numba which kernel fits. What is written here does the same, as functions of addresses: objects are words (their
addresses), slots are words at fixed distances, and CPython's and NumPy's C functions do what needs them. Each function
answers None where something is not as it expects (another dtype, layout, a hook, a watcher), and the same op's general
path, in ordinary Python, takes over. So nothing here decides what an op means.

Nothing of it is compiled or loaded before the first kernel is. Where an interpreter keeps its objects otherwise
(`supported`), ops take the general path.
"""
