"""Complex numbers as pairs of real ones: parts, and tensors that read the same memory as the other."""
