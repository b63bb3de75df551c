"""Products of matrices, vectors and tensors, and linear layers."""
