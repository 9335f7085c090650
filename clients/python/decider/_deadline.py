"""A time limit for everything that is read from and written to a socket."""

from __future__ import annotations

import io
import re
import socket
from typing import Callable, Optional

# A status before the one that answers; 101 answers.
_INTERIM = re.compile(rb"HTTP/1\.\d +1(?!01)\d\d")
_STATUS_BYTES = len(b"HTTP/1.1 103")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
# Bytes of the head of an interim response.
_HEAD_BYTES_MAX = 64 * 1024
_PIECE_BYTES = 16 * 1024


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
        # The timeout of `sendall` of a TLS socket begins again with every record.
        rest = memoryview(data).cast("B")
        while rest:
            self._sock.settimeout(self._deadline.left())
            rest = rest[self._sock.send(rest) :]

    def makefile(self, mode: str, *_: object) -> io.BufferedReader:
        self._reader = _TimedReader(self._sock, self._deadline)
        return io.BufferedReader(self._reader)

    def close(self) -> None:
        self._sock.close()


class _TimedReader(io.RawIOBase):
    """The bytes of a response, without the heads that precede its own: http.client takes 103 for the answer."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock = sock
        self._file = sock.makefile("rb", buffering=0)
        self._deadline = deadline
        self._pending = bytearray()
        self._is_answer = False
        self._tail = b""
        self.head_ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._is_answer:
            self._skip_interim()
            self._is_answer = True
        piece = self._pending[: len(buffer)]
        if piece:
            count = len(piece)
            buffer[:count] = piece
            del self._pending[:count]
        else:
            self._sock.settimeout(self._deadline.left())
            count = self._file.readinto(buffer) or 0
        if not self.head_ended:
            seen = self._tail + bytes(buffer[:count])
            self.head_ended = b"\r\n\r\n" in seen or b"\n\n" in seen
            self._tail = seen[-3:]
        return count

    def _skip_interim(self) -> None:
        """Reads up to the status of the answer, or to the end of the connection."""
        while True:
            is_begun = len(self._pending) >= _STATUS_BYTES or b"\n" in self._pending
            if is_begun and _INTERIM.match(self._pending) is None:
                return
            end = _HEAD_END.search(self._pending) if is_begun else None
            if end is not None:
                del self._pending[: end.end()]
                continue
            if len(self._pending) > _HEAD_BYTES_MAX:
                raise ConnectionError("the head of an interim response is too large")
            self._sock.settimeout(self._deadline.left())
            piece = self._file.read(_PIECE_BYTES)
            if not piece:
                return
            self._pending += piece

    def close(self) -> None:
        self._file.close()
        super().close()
