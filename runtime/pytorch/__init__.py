"""What programs for PyTorch name beside tensors: compilers, tests, timers, trees, event files, the name `torch`."""
