"""What ops do with sparse tensors: the functions that the key `sparse` of the spec names."""
