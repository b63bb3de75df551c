"""Reading and writing by index: index, gather, scatter, take, put, masks."""
