"""A response whose body is read as it arrives."""

from __future__ import annotations

import http.client
from typing import Dict, Iterator, Optional

from ._deadline import Deadline
from ._errors import DeciderError

_PIECE_BYTES = 64 * 1024
# Digits of a length that counts as one.
_LENGTH_DIGITS_MAX = 18


class OpenResponse:
    """A response whose body has not been read."""

    def __init__(
        self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse, deadline: Deadline
    ) -> None:
        self._connection = connection
        self._response = response
        self._deadline = deadline
        self.status = response.status
        #: By names in lower case.
        self.headers: Dict[str, str] = {name.lower(): value for name, value in response.getheaders()}

    def pieces(self, extend: bool = True) -> Iterator[bytes]:
        """The body as it arrives. Raises DeciderError if the connection is lost or the time limit passes.

        `extend`: the time limit is that of each piece, without the time of the reader; otherwise of all of them.
        """
        missing = self._length()
        try:
            while True:
                if extend:
                    self._deadline.extend()
                piece = self._response.read1(_PIECE_BYTES)
                if not piece:
                    break
                missing = None if missing is None else missing - len(piece)
                yield piece
        except TimeoutError as error:
            raise timed_out(error) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise lost(f"The connection was lost within the response ({type(error).__name__}).") from error
        if missing is not None and missing > 0:
            raise lost("The connection was closed within the response.")

    def read(self, limit: int) -> bytes:
        """The whole body. Raises DeciderError as `pieces` does, and for more than `limit` bytes."""
        body = bytearray()
        for piece in self.pieces(extend=False):
            body += piece
            if len(body) > limit:
                raise misfit(f"The response has more than {limit} bytes.")
        return bytes(body)

    def close(self) -> None:
        self._response.close()
        self._connection.close()

    @property
    def is_framed(self) -> bool:
        """Whether the end of the body is known; otherwise it is that of the connection, lost or not."""
        return self._response.chunked or self._length() is not None

    def _length(self) -> Optional[int]:
        """http.client does not notice a body that is shorter than its length if it is read in pieces."""
        length = self.headers.get("content-length", "")
        is_number = length.isascii() and length.isdigit() and len(length) <= _LENGTH_DIGITS_MAX
        return int(length) if is_number and not self._response.chunked else None


def lost(message: str) -> DeciderError:
    """A connection that failed when the request may have been sent."""
    return DeciderError("connection_lost", message, outcome_unknown=True, is_temporary=True)


def timed_out(_: BaseException) -> DeciderError:
    message = "The response did not come within the time limit."
    return DeciderError("timeout", message, outcome_unknown=True, is_temporary=True)


def misfit(message: str) -> DeciderError:
    """A response that is not what this interface sends."""
    return DeciderError("invalid_response", message, outcome_unknown=True, is_temporary=True)
