"""Many processes: groups of ranks on MPI and their collectives, with torch.distributed's API."""
