"""What is raised where a process that was started with others has failed."""

from __future__ import annotations


class ProcessException(Exception):
    """A process has failed.

    Args:
        msg: what happened.
        error_index: which of the processes it was.
        pid: its number in the system.
    """

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.pid = pid

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """A process has failed by an exception, whose traceback the message has.

    Args:
        msg, error_index, pid: as of `ProcessException`.
    """


class ProcessExitedException(ProcessException):
    """A process has ended by a signal or with an exit code.

    Args:
        msg, error_index, pid: as of `ProcessException`.
        exit_code: the code; the negative number of the signal.
        signal_name: the name of the signal, if it was one.
    """

    def __init__(self, msg: str, error_index: int, pid: int, exit_code: int, signal_name: str | None = None) -> None:
        super().__init__(msg, error_index, pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)
