"""A time limit for everything that is read from and written to a socket."""

from __future__ import annotations

import io
import socket
from typing import Callable, Optional


class Deadline:
    """A point in time. `extend` moves it. `now`: seconds of a clock that does not jump."""

    def __init__(self, seconds: float, now: Callable[[], float]) -> None:
        self._seconds = seconds
        self._now = now
        self.extend()

    def extend(self) -> None:
        """Begins the time limit again."""
        self._at = self._now() + self._seconds

    def left(self) -> float:
        """The seconds that are left. Raises TimeoutError if there are none."""
        left = self._at - self._now()
        if left <= 0:
            raise TimeoutError("the time limit has passed")
        return left


class TimedSocket:
    """What http.client uses of a socket. Each operation has the time that is left of the deadline.

    The timeout of a plain socket begins again with every byte, so that a slow response would never end.
    """

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock = sock
        self._deadline = deadline
        self._reader: Optional[_TimedReader] = None

    @property
    def head_ended(self) -> bool:
        """Whether the empty line behind the header has arrived: http.client takes a lost connection for it."""
        return self._reader is not None and self._reader.head_ended

    def sendall(self, data: bytes) -> None:
        self._sock.settimeout(self._deadline.left())
        self._sock.sendall(data)

    def makefile(self, mode: str, *_: object) -> io.BufferedReader:
        self._reader = _TimedReader(self._sock, self._deadline)
        return io.BufferedReader(self._reader)

    def close(self) -> None:
        self._sock.close()


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock = sock
        self._file = sock.makefile("rb", buffering=0)
        self._deadline = deadline
        self._tail = b""
        self.head_ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._sock.settimeout(self._deadline.left())
        count = self._file.readinto(buffer) or 0
        if not self.head_ended:
            seen = self._tail + bytes(buffer[:count])
            self.head_ended = b"\r\n\r\n" in seen or b"\n\n" in seen
            self._tail = seen[-3:]
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
