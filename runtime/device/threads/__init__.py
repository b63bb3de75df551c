"""The thread pool: work that several threads share.

A job is a computation over a range: elements, rows, results. Its parts go to whoever claims them first: the thread
that has the job, or workers, which wait for jobs in machine code and do not hold the GIL. `parallel_for` runs kernels
so; `scheduler` is work stealing, `tasks` and `python_tasks` run a part of a job, `commands` is what Python asks the
scheduler for, `worker_threads` start and stop, `workers` is Python's side of all that, `layout` how a job is described.

No result depends on how a range is cut: kernels see to it that parts begin where that makes no difference.
"""
