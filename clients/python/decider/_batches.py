"""The batches of a key."""

from __future__ import annotations

import math
import secrets
import urllib.parse
from collections.abc import Mapping
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Union, cast

from ._errors import DeciderError
from ._http import Call, HttpCalls
from ._images import encode_line
from ._json import parse_json
from ._response import misfit
from ._results import stream_lines
from ._settings import require_seconds
from ._types import Batch, SubmitResponse

#: The lines of a batch, or a file of them: JSON Lines as text or bytes. A line has `custom_id` and `state`, and either
#: `model` and `questions` or `task`, the name of a task of the workspace.
BatchInput = Union[Iterable[Mapping[str, Any]], str, bytes, bytearray, memoryview]

# Limits of the server (docs/contract.md).
_FILE_BYTES_MAX = 32 * 1024 * 1024
_LINES_MAX = 50_000
_PAGE = 100
# How often a batch is looked at while it is waited for.
_POLL_SECONDS = 1.0
# The longest wait between two looks while the server cannot be asked.
_POLL_SECONDS_MAX = 30.0
# The longest wait that a server can ask for while a batch is waited for.
_RETRY_AFTER_SECONDS_MAX = 3_600.0
# How long a server may be away while a batch is waited for, from the first failed look on.
_PATIENCE_SECONDS = 600.0
# The least time of a look, so that there is a last one when the time of a wait is over.
_LOOK_SECONDS_MIN = 10.0


class Batches:
    """The batches of a key. Every call raises DeciderError if it is not answered with success."""

    def __init__(self, calls: HttpCalls) -> None:
        self._calls = calls

    def submit(
        self, lines: BatchInput, *, idempotency_key: Optional[str] = None, webhook: Optional[str] = None
    ) -> SubmitResponse:
        """Submits a batch. It is stored when this returns.

        `idempotency_key`: within 24 hours, the same file under the same key is the same batch: a program that was
        interrupted submits again with its key and goes on. If absent, a new key is made, so that the submission can be
        sent again after a lost connection. `webhook`: an https address that is called when the batch has finished.
        """
        headers = {
            "Content-Type": "application/jsonl",
            "Idempotency-Key": idempotency_key if idempotency_key is not None else secrets.token_hex(16),
        }
        if webhook is not None:
            headers["Service-Webhook-Url"] = webhook
        return cast(SubmitResponse, self._json("", "POST", file_of_batch(lines), headers))

    def show(self, id: str) -> Batch:
        return cast(Batch, self._json(f"/{_quoted(id)}"))

    def cancel(self, id: str) -> Batch:
        """Cancels a batch. Lines in progress are still answered."""
        return cast(Batch, self._json(f"/{_quoted(id)}/cancel", "POST"))

    def list(self) -> Iterator[Batch]:
        """All batches of the key, oldest first."""
        after: Dict[str, str] = {}
        while True:
            query = urllib.parse.urlencode({"limit": str(_PAGE), **after})
            page, _ = self._calls.json(Call(f"v1/batches?{query}", has=("data",)))
            yield from _listed(page["data"])
            if not page.get("has_more") or not page["data"]:
                return
            after = {"after": page["data"][-1]["id"]}

    def wait(
        self,
        id: str,
        *,
        on_progress: Optional[Callable[[Batch], None]] = None,
        poll_seconds: float = _POLL_SECONDS,
        timeout: Optional[float] = None,
    ) -> Batch:
        """Returns when the results of a batch can be collected.

        Goes on while the server is away, for ten minutes from the first failed look on; waits of more than 30 seconds that
        the server asks for do not count. `on_progress`: called with the batch each time it was looked at. `poll_seconds`:
        between two looks. `timeout`: in seconds. Then the batch is looked at once more, for up to 10 seconds, and if it has
        not finished, DeciderError `timeout` is raised. Raises ValueError for numbers of seconds that cannot be used.
        """
        require_seconds("poll_seconds", poll_seconds, zero=True)
        if timeout is not None:
            require_seconds("timeout", timeout, zero=True)
        runtime = self._calls.runtime
        ends = math.inf if timeout is None else runtime.monotonic() + timeout
        wait: float = poll_seconds
        away_since: Optional[float] = None
        while True:
            batch = None
            left = ends - runtime.monotonic()
            try:
                batch = self._look(id, max(left, _LOOK_SECONDS_MIN))
            except DeciderError as error:
                now = runtime.monotonic()
                away_since = now if away_since is None else away_since
                if not error.is_temporary or now - away_since > _PATIENCE_SECONDS:
                    raise
                wait = min(max(wait * 2, _POLL_SECONDS), _POLL_SECONDS_MAX)
                wait = max(wait, min(error.retry_after_seconds or 0, _RETRY_AFTER_SECONDS_MAX))
                away_since += wait - min(wait, _POLL_SECONDS_MAX)
            if batch is not None:
                away_since, wait = None, poll_seconds
                if on_progress is not None:
                    on_progress(batch)
                if batch.get("results_available"):
                    return batch
            if left <= 0:
                raise DeciderError("timeout", f"The batch has not finished within {timeout} seconds.")
            runtime.sleep(max(0.0, min(wait, ends - runtime.monotonic())))

    def results(self, batch: Union[str, Mapping[str, Any]]) -> Iterator[Dict[str, Any]]:
        """The results of a finished batch in the order of its lines, as they arrive.

        `batch`: a batch or its id.
        """
        for line in self.result_lines(batch):
            try:
                result = parse_json(line)
            except ValueError:
                raise misfit("A result is not JSON.") from None
            yield result

    def result_lines(self, batch: Union[str, Mapping[str, Any]]) -> Iterator[bytes]:
        """As `results`: each as the bytes that the server sends, without its line feed."""
        id = batch if isinstance(batch, str) else batch["id"]

        def count() -> Optional[int]:
            return self._line_count(id) if isinstance(batch, str) else batch["lines"]

        return stream_lines(self._calls, Call(f"v1/batches/{_quoted(id)}/results"), count)

    def _line_count(self, id: str) -> Optional[int]:
        """The lines of a batch; None if the server does not say, because the batch was deleted meanwhile, for example."""
        try:
            return self.show(id).get("lines")
        except DeciderError as error:
            if error.is_temporary and error.type != "invalid_response":
                raise
            return None

    def run(
        self,
        lines: BatchInput,
        *,
        idempotency_key: Optional[str] = None,
        webhook: Optional[str] = None,
        on_progress: Optional[Callable[[Batch], None]] = None,
        poll_seconds: float = _POLL_SECONDS,
    ) -> Iterator[Dict[str, Any]]:
        """Submits a batch, waits for it, and returns its results as they arrive. Leaving the loop does not cancel it."""
        submitted = self.submit(lines, idempotency_key=idempotency_key, webhook=webhook)
        batch = self.wait(submitted["id"], on_progress=on_progress, poll_seconds=poll_seconds)
        yield from self.results(batch)

    def _look(self, id: str, seconds: float) -> Batch:
        """As `show`, with all attempts within a time."""
        until = None if seconds == math.inf else self._calls.runtime.monotonic() + seconds
        value, _ = self._calls.json(Call(f"v1/batches/{_quoted(id)}", has=("id",), until=until))
        return cast(Batch, value)

    def _json(
        self, path: str, method: str = "GET", body: Optional[bytes] = None, headers: Mapping[str, str] = {}
    ) -> Dict[str, Any]:
        value, _ = self._calls.json(Call(f"v1/batches{path}", method, body, headers, has=("id",)))
        return value


def file_of_batch(lines: BatchInput) -> bytes:
    """The file of a batch. Takes lines only until a limit of the server is exceeded.

    Raises DeciderError `body_too_large` or `too_many_lines`, TypeError for what is no line, and what the lines raise.
    """
    if isinstance(lines, (str, bytes, bytearray, memoryview)):
        whole = lines.encode("utf-8") if isinstance(lines, str) else bytes(lines)
        if len(whole) > _FILE_BYTES_MAX:
            raise _too_large()
        return whole
    # Its keys would be taken for lines.
    if isinstance(lines, Mapping):
        raise TypeError("lines: must be a list of lines, not one line.")
    file, count = bytearray(), 0
    for line in lines:
        file += encode_line(line)
        count += 1
        if len(file) > _FILE_BYTES_MAX:
            raise _too_large()
        if count > _LINES_MAX:
            raise DeciderError("too_many_lines", f"The batch has more than {_LINES_MAX} lines.")
    return bytes(file)


def _listed(batches: Any) -> List[Batch]:
    """The batches of a page. Raises DeciderError if they are something else."""
    if not isinstance(batches, list) or any(not isinstance(batch, dict) or "id" not in batch for batch in batches):
        raise misfit("The list of batches is not what this interface sends.")
    return cast(List[Batch], batches)


def _too_large() -> DeciderError:
    return DeciderError("body_too_large", f"The batch has more than {_FILE_BYTES_MAX} bytes.")


def _quoted(id: str) -> str:
    return urllib.parse.quote(id, safe="")
