"""Ways by which ranks reach each other: MPI, and threads of one process that stand for ranks. They know bytes alone."""
