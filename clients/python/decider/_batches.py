"""The batches of a key."""

from __future__ import annotations

import json
import secrets
import urllib.parse
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping, Optional, Union, cast

from ._errors import DeciderError
from ._http import Call, HttpCalls
from ._images import encode_line
from ._response import misfit
from ._results import stream_lines
from ._types import Batch, SubmitResponse

#: The lines of a batch, or a file of them: JSON Lines as text or bytes. A line has `custom_id` and `state`, and either
#: `model` and `questions` or `task`, the name of a task of the workspace.
BatchInput = Union[Iterable[Mapping[str, Any]], str, bytes]

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
# How long a server may be away while a batch is waited for.
_PATIENCE_SECONDS = 600.0


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
            page, _ = self._calls.json(Call(f"v1/batches?{query}", has="data"))
            yield from page["data"]
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
        """Returns when the results of a batch can be collected. Goes on while the server is away, for ten minutes.

        `on_progress`: called with the batch each time it was looked at. `timeout`: in seconds; beyond it, DeciderError
        `timeout`.
        """
        runtime = self._calls.runtime
        begun = seen = runtime.monotonic()
        wait = poll_seconds
        while True:
            batch = None
            try:
                batch = self.show(id)
            except DeciderError as error:
                if not error.is_temporary or runtime.monotonic() - seen > _PATIENCE_SECONDS:
                    raise
                wait = min(max(wait * 2, _POLL_SECONDS), _POLL_SECONDS_MAX)
                wait = max(wait, min(error.retry_after_seconds or 0, _RETRY_AFTER_SECONDS_MAX))
            if batch is not None:
                seen, wait = runtime.monotonic(), poll_seconds
                if on_progress is not None:
                    on_progress(batch)
                if batch["results_available"]:
                    return batch
            if timeout is not None and runtime.monotonic() - begun + wait > timeout:
                raise DeciderError("timeout", f"The batch has not finished within {timeout} seconds.")
            runtime.sleep(wait)

    def results(self, batch: Union[str, Mapping[str, Any]]) -> Iterator[Dict[str, Any]]:
        """The results of a finished batch in the order of its lines, as they arrive.

        `batch`: a batch or its id.
        """
        for line in self.result_lines(batch):
            try:
                result = json.loads(line)
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
            return self.show(id)["lines"]
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

    def _json(
        self, path: str, method: str = "GET", body: Optional[bytes] = None, headers: Mapping[str, str] = {}
    ) -> Dict[str, Any]:
        value, _ = self._calls.json(Call(f"v1/batches{path}", method, body, headers, has="id"))
        return value


def file_of_batch(lines: BatchInput) -> bytes:
    """The file of a batch. Takes lines only until a limit of the server is exceeded.

    Raises DeciderError `body_too_large` or `too_many_lines`, and what the lines raise.
    """
    if isinstance(lines, (str, bytes)):
        return lines.encode("utf-8") if isinstance(lines, str) else lines
    file, count = bytearray(), 0
    for line in lines:
        file += encode_line(line)
        count += 1
        if len(file) > _FILE_BYTES_MAX:
            raise DeciderError("body_too_large", f"The batch has more than {_FILE_BYTES_MAX} bytes.")
        if count > _LINES_MAX:
            raise DeciderError("too_many_lines", f"The batch has more than {_LINES_MAX} lines.")
    return bytes(file)


def _quoted(id: str) -> str:
    return urllib.parse.quote(id, safe="")
