"""`import torch` means specgrad: for a program, for a block, and for the processes that a program starts."""
