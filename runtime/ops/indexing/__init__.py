"""Reading and writing at places: index, gather, scatter, take, put, masks."""
