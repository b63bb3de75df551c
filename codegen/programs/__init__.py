"""Row programs: expressions over one row of an array, from which the kernels of both devices are made."""
