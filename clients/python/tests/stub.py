"""A server of raw bytes for the tests: each connection gets the next answer."""

import json
import socket
import threading
from typing import Callable, List, Optional, Union

from decider import Decider, Runtime

#: Bytes to send before the connection is closed, or what is done with the connection.
Answer = Union[bytes, Callable[[socket.socket], None]]


def response(body: bytes, status: str = "200 OK", headers: str = "") -> bytes:
    """A whole response."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body


def chunked(*pieces: bytes, end: bool = True) -> bytes:
    """A response in chunks; without `end`, it is cut off."""
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + (b"0\r\n\r\n" if end else b"")


def error(type: str, status: str, headers: str = "") -> bytes:
    """An error of the server."""
    return response(json.dumps({"error": "A sentence.", "type": type}).encode(), status, headers)


def batch(available: bool) -> bytes:
    """A batch of one line, finished or not."""
    return response(json.dumps({"id": "b", "lines": 1, "results_available": available}).encode())


#: A server that is busy.
BUSY = error("overloaded", "503 Service Unavailable")
#: The body of an answer to one question.
ANSWER = json.dumps(
    {"model": "m-20260101", "answers": {"q": {"type": "noul", "noul": 0.9}}, "usage": {"input_tokens": 9, "output_tokens": 1}}
).encode()
#: The body of a batch that was submitted.
BATCH = json.dumps({"id": "batch_" + "a" * 24, "object": "batch", "lines": 3}).encode()


class Stub:
    """Reads a request per connection, then answers; the last answer repeats."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        #: The requests, whole.
        self.requests: List[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def __enter__(self) -> "Stub":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                request = _read(connection)
                if request is None:
                    continue
                self.requests.append(request)
                answer = self._answers[0] if len(self._answers) == 1 else self._answers.pop(0)
                try:
                    if callable(answer):
                        answer(connection)
                    else:
                        connection.sendall(answer)
                except OSError:
                    pass


def _read(connection: socket.socket) -> Optional[bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    length = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < length:
        piece = connection.recv(65536)
        if not piece:
            return None
        body += piece
    return head + b"\r\n\r\n" + body


def client(url: str, waits: Optional[List[float]] = None, **options: object) -> Decider:
    """A client that does not sleep: `waits` gets what it would have slept."""
    kept = waits if waits is not None else []
    runtime = Runtime(sleep=kept.append, random=lambda: 0.0)
    return Decider(url, "dk_test", runtime=runtime, **options)  # type: ignore[arg-type]


class Clock:
    """A clock that moves only where a client sleeps, and where a test moves it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        self.seconds += seconds

    def client(self, url: str, **options: object) -> Decider:
        """A client with this clock, which calls once."""
        runtime = Runtime(monotonic=self.now, sleep=self.advance, random=lambda: 0.0)
        return Decider(url, "dk_test", retries=0, runtime=runtime, **options)  # type: ignore[arg-type]
