"""Calls of one server over HTTP, with the standard library."""

from __future__ import annotations

import http.client
import math
import random
import ssl
import time
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, TypeVar

from ._deadline import Deadline, TimedSocket
from ._dial import dial
from ._errors import DeciderError, error_of_response
from ._json import parse_json
from ._response import OpenResponse, lost, misfit, timed_out
from ._retry import wait_before_retry
from ._settings import require_count, require_seconds
from ._time_limit import usual_time_limit

# Bytes of an error response that are read: those of the server are far smaller.
_ERROR_BYTES_MAX = 1024 * 1024
# Bytes of a JSON response; the largest answer to a request of 32 MiB is smaller.
_RESPONSE_BYTES_MAX = 64 * 1024 * 1024

Result = TypeVar("Result")


@dataclass(frozen=True)
class Runtime:
    """What the client needs of its surroundings. Tests pass their own."""

    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random


@dataclass(frozen=True)
class Call:
    """A call. `path` is relative to the address, without a slash in front."""

    path: str
    method: str = "GET"
    body: Optional[bytes] = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Whether sending it twice does no more than sending it once.
    repeatable: bool = True
    #: Fields that every response has.
    has: Tuple[str, ...] = ("object",)
    #: Prompts that the server computes for it, at most.
    prompts: int = 1
    #: When it has to have ended, in seconds of the monotonic clock.
    until: Optional[float] = None


@dataclass(frozen=True)
class ResponseInfo:
    """About the HTTP exchange of a call."""

    #: The id of the call in the log of the server.
    request_id: Optional[str]
    #: By names in lower case.
    headers: Mapping[str, str]
    #: How often the call was sent.
    attempts: int


class HttpCalls:
    """Calls of one server. Every call raises DeciderError if it is not answered with success."""

    def __init__(
        self,
        url: str,
        token: Optional[str],
        retries: int,
        timeout: Optional[float],
        context: Optional[ssl.SSLContext],
        runtime: Runtime,
    ) -> None:
        """Raises ValueError for settings that cannot be used. The address and the token are not quoted: both may be secret."""
        self._secure, self._host, self._port, self._base = _parts_of(url)
        if token is not None and (token == "" or any(not "!" <= letter <= "~" for letter in token)):
            raise ValueError("token: must be printable ASCII characters without spaces.")
        require_count("retries", retries)
        if timeout is not None:
            require_seconds("timeout", timeout, zero=False)
        self._token = token
        self._timeout = timeout
        self._context = context
        self.retries = retries
        self.runtime = runtime

    def json(self, call: Call) -> Tuple[Dict[str, Any], ResponseInfo]:
        """Sends a call until it is answered or must not be sent again, and reads the response as JSON."""

        def attempt(attempts: int) -> Tuple[Dict[str, Any], ResponseInfo]:
            opened = self.open(call)
            try:
                body = opened.read(_RESPONSE_BYTES_MAX)
            finally:
                opened.close()
            try:
                value = parse_json(body)
            except ValueError:
                value = None
            if not isinstance(value, dict) or any(name not in value for name in call.has):
                raise misfit("The response is not what this interface sends.")
            return value, ResponseInfo(opened.headers.get("x-request-id"), opened.headers, attempts)

        return self._repeat(call, attempt)

    def _repeat(self, call: Call, attempt: Callable[[int], Result]) -> Result:
        attempts = 1
        while True:
            try:
                return attempt(attempts)
            except DeciderError as error:
                wait = wait_before_retry(error, call.repeatable, attempts, self.runtime.random())
                if wait is None or attempts > self.retries or self._left(call) <= wait:
                    raise
                self.runtime.sleep(wait)
                attempts += 1

    def open(self, call: Call) -> OpenResponse:
        """Sends a call once. The caller reads the body and closes the response."""
        timeout = usual_time_limit(call.prompts) if self._timeout is None else self._timeout
        deadline = Deadline(min(timeout, self._left(call)), self.runtime.monotonic)
        connection = self._connect(deadline)
        try:
            timed = TimedSocket(connection.sock, deadline)
            connection.sock = timed
            self._send(connection, call)
            opened = OpenResponse(connection, connection.getresponse(), deadline)
            if not timed.head_ended:
                raise lost("The connection was closed within the header of the response.")
        except TimeoutError as error:
            connection.close()
            raise timed_out(error) from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise lost(f"The connection failed before the response ({type(error).__name__}).") from error
        except BaseException:
            connection.close()
            raise
        if 200 <= opened.status < 300:
            return opened
        try:
            body = opened.read(_ERROR_BYTES_MAX)
        except DeciderError:
            # The status says enough.
            body = b""
        finally:
            opened.close()
        raise error_of_response(opened.status, opened.headers, body, self.runtime.now())

    def _left(self, call: Call) -> float:
        """The seconds until a call has to have ended."""
        return math.inf if call.until is None else call.until - self.runtime.monotonic()

    def _connect(self, deadline: Deadline) -> http.client.HTTPConnection:
        try:
            deadline.left()
        except TimeoutError as error:
            raise DeciderError("timeout", "There was no time for the call; nothing was sent.", is_temporary=True) from error
        try:
            return self._connected(deadline)
        except (OSError, UnicodeError) as error:
            # A certificate that is refused stays refused.
            temporary = not isinstance(error, (ssl.SSLCertVerificationError, UnicodeError))
            message = f"The server cannot be reached ({type(error).__name__}); nothing was sent."
            raise DeciderError("unreachable", message, is_temporary=temporary) from error

    def _connected(self, deadline: Deadline) -> http.client.HTTPConnection:
        """Raises OSError, or UnicodeError for a name that no host has."""
        sock = dial(self._host, self._port, deadline)
        try:
            if not self._secure:
                connection = http.client.HTTPConnection(self._host, self._port)
                connection.sock = sock
                return connection
            context = self._context or ssl.create_default_context()
            connection = http.client.HTTPSConnection(self._host, self._port, context=context)
            sock.settimeout(deadline.left())
            connection.sock = context.wrap_socket(sock, server_hostname=self._host)
            return connection
        except BaseException:
            sock.close()
            raise

    def _send(self, connection: http.client.HTTPConnection, call: Call) -> None:
        headers = {"Accept": "*/*", "Connection": "close", **call.headers}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        if call.body is None and call.method == "POST":
            headers["Content-Length"] = "0"
        try:
            connection.request(call.method, self._base + call.path, body=call.body, headers=headers)
        except TimeoutError:
            raise
        except OSError:
            # The server may have answered before it had read the body. TLS has errors of its own for this.
            pass


def _parts_of(url: str) -> Tuple[bool, str, int, str]:
    """Whether TLS is used, the host, the port, and the path with a slash at its end."""
    try:
        parts = urllib.parse.urlsplit(url)
        secure, host, port = parts.scheme == "https", parts.hostname, parts.port
    except ValueError:
        raise ValueError("url: not an http or https URL.") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError("url: not an http or https URL.")
    if parts.username is not None or parts.password is not None:
        raise ValueError("url: must not have a user or a password.")
    path = urllib.parse.quote(parts.path.rstrip("/"), safe="/%:@!$&'()*+,;=~-._") + "/"
    return secure, host, port or (443 if secure else 80), path
