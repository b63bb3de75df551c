"""Work that several threads share.

A job is a computation over a range: elements, rows, results. Its parts go to whoever claims them first: the thread
that has the job, or workers, which wait for jobs in machine code and need no interpreter. `sharing` runs kernels so,
`claims`, `parts` and `manager` are what threads do, `hiring` lets workers come and go, `workers` is what Python says to
all that, `layout` how a job is described.

No result depends on how a range is cut: kernels see to it that parts begin where that makes no difference.
"""
