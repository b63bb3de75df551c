"""Tables of bytes that processes meet at: torch.distributed's stores. No module here needs MPI."""
