"""The thread pool. A job is a computation over a range: elements, rows, results. Its parts go to whoever claims them
first: the thread that has the job, or workers, which wait for jobs in machine code and do not hold the GIL.
`parallel_for` runs kernels so, `scheduler` is work stealing, `tasks` run a part of a job, `worker_threads` start and
stop, `workers` is Python's side, `job` how a job is described. No result depends on how a range is cut."""
