"""Storages: objects that name the memory which tensors share, and what changes that memory under all of them."""
