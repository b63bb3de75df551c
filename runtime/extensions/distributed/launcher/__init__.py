"""Programs as several ranks: `command.py` goes from attempt to attempt. In each (`attempt.py`) mpiexec starts a
`supervisor.py` per rank that starts the program, passes on what it prints, and says how it has ended; supervisors and
launcher are connected by a socket, so that each side notices the other's end.
"""

from .attempt import mpiexec as mpiexec
from .command import main as main
