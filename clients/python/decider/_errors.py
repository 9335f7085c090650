"""The error of a call, and what error responses become."""

from __future__ import annotations

import datetime
import email.utils
import math
from typing import Any, Dict, List, Mapping, Optional

from ._json import parse_json

# Statuses after which the same request may succeed later (docs/errors.md); 520 to 524 are those of a CDN.
_TEMPORARY = frozenset({408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524})
# With a body of the server: it sends 502 as `outcome_unknown`.
_UNKNOWN_OUTCOME = frozenset({502, 504})
# A status from here on without a body of the server is from a proxy, which may have lost the response.
_FAULT_STATUS_MIN = 500
# Digits of a number of seconds that are read.
_SECONDS_DIGITS_MAX = 300


class DeciderError(Exception):
    """A call that was not answered with success. Programs branch on `type`.

    `type` is a type of docs/errors.md, or one of the client's own:

    - `unreachable`: no connection was made, so nothing was sent.
    - `connection_lost`: the connection failed before the response was complete.
    - `timeout`: the response did not come within the time limit.
    - `invalid_response`: the response is not what this interface sends.
    - `unknown`: an error response that is not from the server, but from a proxy, for example.
    """

    def __init__(
        self,
        type: str,
        message: str,
        *,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        retry_after_seconds: Optional[float] = None,
        lines: Optional[List[Dict[str, Any]]] = None,
        invalid_lines: Optional[int] = None,
        questions: Optional[Dict[str, Dict[str, Any]]] = None,
        field: Optional[str] = None,
        outcome_unknown: bool = False,
        is_temporary: bool = False,
    ) -> None:
        super().__init__(message)
        self.type = type
        self.message = message
        #: The status of the response; None if there was none.
        self.status = status
        #: The id of the call in the log of the server.
        self.request_id = request_id
        #: What the server asks to wait.
        self.retry_after_seconds = retry_after_seconds
        #: The invalid lines of a batch file, or the invalid labels, as far as the response lists them: `line`, `type`, `error`.
        self.lines: List[Dict[str, Any]] = lines or []
        #: The number of all invalid lines.
        self.invalid_lines = len(self.lines) if invalid_lines is None else invalid_lines
        #: Of `too_few_labels`: what each question has and needs, as `labels` and `needed`.
        self.questions: Dict[str, Dict[str, Any]] = questions or {}
        #: The field of the request that is wrong; None if the response names none.
        self.field = field
        #: Whether the server may have done, and charged, what was asked.
        self.outcome_unknown = outcome_unknown
        #: Whether the same call may succeed later.
        self.is_temporary = is_temporary

    def __str__(self) -> str:
        return f"{self.type}: {self.message}"


def error_of_response(status: int, headers: Mapping[str, str], body: bytes, now: float) -> DeciderError:
    """The error of a response (contract 2.9); a proxy may have sent anything else. `now`: in seconds since 1970."""
    facts: Dict[str, Any] = {
        "status": status,
        "request_id": headers.get("x-request-id"),
        "retry_after_seconds": _retry_after(headers.get("retry-after"), now),
        "outcome_unknown": status in _UNKNOWN_OUTCOME,
        "is_temporary": status in _TEMPORARY and headers.get("x-should-retry") != "false",
    }
    try:
        value = parse_json(body)
    except ValueError:
        value = None
    if isinstance(value, dict) and isinstance(value.get("error"), dict):
        # `/v1/decisions` sends OpenAI's form.
        inner = value["error"]
        value = {"error": inner.get("message"), "type": inner.get("code"), "field": inner.get("param")}
    if not isinstance(value, dict) or not isinstance(value.get("error"), str) or not isinstance(value.get("type"), str):
        facts["outcome_unknown"] = status >= _FAULT_STATUS_MIN
        return DeciderError("unknown", _message_of(status), **facts)
    lines, count, questions = value.get("errors"), value.get("invalid_lines"), value.get("questions")
    return DeciderError(
        value["type"],
        value["error"],
        lines=[line for line in lines if _is_line(line)] if isinstance(lines, list) else None,
        questions=_counts(questions) if isinstance(questions, dict) else None,
        invalid_lines=count if isinstance(count, int) else None,
        field=value["field"] if isinstance(value.get("field"), str) else None,
        **facts,
    )


def _is_line(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("line"), int)


def _counts(questions: Dict[str, Any]) -> Dict[str, Dict[str, Any]]:
    """The questions of `too_few_labels`, without what does not fit."""
    return {name: count for name, count in questions.items() if isinstance(count, dict) and {"labels", "needed"} <= count.keys()}


def _message_of(status: int) -> str:
    if 300 <= status < 400:
        return "The response is a redirect, which is not followed. Use the address that it leads to."
    return f"The server, or a proxy before it, answered with status {status}."


def _retry_after(value: Optional[str], now: float) -> Optional[float]:
    """`Retry-After` in seconds, of whole seconds or of an HTTP date, as proxies send it; None if there is none."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text) if len(text) <= _SECONDS_DIGITS_MAX else math.inf
    try:
        date = email.utils.parsedate_to_datetime(text)
        # The form of C's `asctime` names no zone.
        at = date if date.tzinfo is not None else date.replace(tzinfo=datetime.timezone.utc)
        return max(0.0, at.timestamp() - now)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
