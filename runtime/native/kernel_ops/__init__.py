"""Ops with kernels of their own in machine code: a plan for the layouts of a call is looked up, and its calls run."""
