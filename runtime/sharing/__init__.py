"""Memory that tensors share, within a process (storages) and between processes."""
