"""Results of a batch, read as they arrive."""

from __future__ import annotations

from typing import Callable, Iterator, Optional

from ._errors import DeciderError
from ._http import Call, HttpCalls
from ._json import parse_json
from ._response import OpenResponse, lost, misfit
from ._retry import wait_before_retry

# Bytes of one result: of its question names, labels and legends, all of which are in a line of at most 32 MiB.
_RESULT_BYTES_MAX = 64 * 1024 * 1024


def stream_lines(calls: HttpCalls, call: Call, count: Callable[[], Optional[int]]) -> Iterator[bytes]:
    """The lines of a response of JSON Lines, each once and in order.

    If the connection is lost, the response is requested again and the lines that were given are skipped: results do not
    change. Holds one line and one piece of the response. `count`: how many lines there are, or None if that cannot be
    known; asked at the end of a response that only the end of the connection ends. One with fewer is requested again.
    """
    given, last, failures = 0, b"", 0
    while True:
        before = given
        try:
            at = 0
            opened = calls.open(call)
            try:
                for line in _lines_of(opened):
                    at += 1
                    if at == given and line != last:
                        raise DeciderError("invalid_response", "The results have changed since the connection was lost.")
                    if at > given:
                        given, last = at, line
                        yield line
            finally:
                opened.close()
            expected = 0 if opened.is_framed else count() or 0
            if at >= max(given, expected):
                return
            raise lost(f"The response ended after {at} lines.")
        except DeciderError as error:
            failures = 1 if given > before else failures + 1
            wait = wait_before_retry(error, call.repeatable, failures, calls.runtime.random())
            if wait is None or failures > calls.retries:
                raise
            calls.runtime.sleep(wait)


def _lines_of(opened: OpenResponse) -> Iterator[bytes]:
    """The lines that are not blank."""
    begun = bytearray()
    for piece in opened.pieces():
        start = 0
        while True:
            end = piece.find(b"\n", start)
            if end < 0:
                break
            line = bytes(begun) + piece[start:end]
            begun.clear()
            start = end + 1
            if line.strip():
                yield line
        begun += piece[start:]
        if len(begun) > _RESULT_BYTES_MAX:
            raise misfit(f"A line has more than {_RESULT_BYTES_MAX} bytes.")
    if begun.strip():
        # Without its line feed, it may have been cut off.
        try:
            parse_json(begun)
        except ValueError:
            raise lost("The response ended within a line.") from None
        yield bytes(begun)
