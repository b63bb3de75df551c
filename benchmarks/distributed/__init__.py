"""Steps of training on several ranks, beside one rank, and beside PyTorch's DistributedDataParallel."""
