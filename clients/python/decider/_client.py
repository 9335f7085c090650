"""The client of a server."""

from __future__ import annotations

import re
import ssl
from collections.abc import Sized
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Union, cast

from ._batches import Batches
from ._errors import DeciderError
from ._http import Call, HttpCalls, ResponseInfo, Runtime
from ._images import Images, body_of_decide, encode
from ._json import parse_json
from ._tasks import Tasks
from ._types import Batch, DecideResponse, DecisionsResponse, Health, Limits, ModelList, Usage

# Characters of a webhook's body: those of the server have about 60.
_WEBHOOK_CHARACTERS_MAX = 4_096
_BATCH_ID = re.compile(r"batch_[A-Za-z0-9]{24}")


@dataclass(frozen=True)
class Decision:
    """An answered request."""

    #: The build that answered.
    model: str
    #: One answer per question, under its name: `noul`; `choice`, `confidence`, `probabilities`; `level`, `score`, and so on.
    answers: Dict[str, Dict[str, Any]]
    #: `input_tokens` and `output_tokens`.
    usage: Dict[str, Any]
    #: About the HTTP exchange.
    info: ResponseInfo


class Decider:
    """A client of a decider server. Every call raises DeciderError if it is not answered with success.

    A call is sent again only where that cannot charge twice (docs/errors.md). Each call has a connection of its own, so
    that threads can share a client.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        token: Optional[str] = None,
        *,
        retries: int = 2,
        timeout: Optional[float] = None,
        context: Optional[ssl.SSLContext] = None,
        runtime: Runtime = Runtime(),
    ) -> None:
        """Raises ValueError for options that cannot be used.

        `token`: of a key; only `models` and `health` work without one. `retries`: how often a call is sent again at
        most. `timeout`: the limit of an attempt, and of each pause of a response that streams, in seconds, more than 0 and
        at most 2,147,483; if absent, 150, and 60 more for every further 16 questions, once for each order of their
        options. `context`: for certificates of one's own.
        """
        self._calls = HttpCalls(url, token, retries, timeout, context, runtime)
        self.batches = Batches(self._calls)
        self.tasks = Tasks(self._calls)

    def decide(
        self,
        state: Any,
        questions: Mapping[str, Any],
        *,
        model: Optional[str] = None,
        images: Optional[Images] = None,
        image_budget: Optional[int] = None,
        raw_probabilities: bool = False,
        label_mass: bool = False,
        option_rotations: Optional[int] = None,
    ) -> Decision:
        """Answers questions about a state.

        `state`: a string, or a value that is sent as JSON. `questions`: by names of your choice; `noul`, `choice` and
        `score` make them. `images`: by the references that name them in the state and the questions: paths, open files or
        bytes. `raw_probabilities`: adds `raw_probabilities` to each answer, neither rounded nor committed. `label_mass`: adds
        `label_mass`, the probability that the model gave to the labels of the options together. `option_rotations`: asks
        each choice in so many orders of its options, and averages; each order is charged.
        """
        request: Dict[str, Any] = {"state": state, "questions": dict(questions)}
        if model is not None:
            request["model"] = model
        if image_budget is not None:
            request["image_budget"] = image_budget
        body, headers = body_of_decide(request, images or {})
        if raw_probabilities:
            headers["Service-Raw-Probabilities"] = "true"
        if label_mass:
            headers["Service-Label-Mass"] = "true"
        if option_rotations is not None:
            headers["Service-Option-Rotations"] = str(option_rotations)
        # The server refuses other values.
        orders = option_rotations if isinstance(option_rotations, int) else 1
        prompts = len(questions) * orders
        call = Call("v1/decide", "POST", body, headers, repeatable=False, has=("model", "answers", "usage"), prompts=prompts)
        answer, info = self._calls.json(call)
        response = cast(DecideResponse, answer)
        return Decision(response["model"], cast(Any, response["answers"]), cast(Any, response["usage"]), info)

    def decisions(self, request: Mapping[str, Any]) -> DecisionsResponse:
        """Answers up to 400 questions in the form of OpenAI's Decisions API (docs/decisions-api.md)."""
        body, headers = encode(dict(request)), {"Content-Type": "application/json"}
        questions = request.get("questions")
        prompts = len(questions) if isinstance(questions, Sized) else 1
        call = Call("v1/decisions", "POST", body, headers, repeatable=False, has=("answers",), prompts=prompts)
        return cast(DecisionsResponse, self._calls.json(call)[0])

    def limits(self) -> Limits:
        """The credit, the limits and the prices of the key."""
        return cast(Limits, self._get("v1/limits"))

    def usage(self, days: Optional[int] = None) -> Usage:
        """What the key was charged. `days`: 1 to 92, today included; 30 if absent."""
        return cast(Usage, self._get("v1/usage" if days is None else f"v1/usage?days={int(days)}"))

    def models(self) -> ModelList:
        return cast(ModelList, self._get("v1/models"))

    def health(self) -> Health:
        """Returns if the server is ready to answer."""
        return cast(Health, self._get("health", has="status"))

    def verify_webhook(self, body: Union[str, bytes, Mapping[str, Any]]) -> Batch:
        """The finished batch that a webhook call is about.

        The call itself proves nothing, so the batch is fetched with the key. Raises DeciderError: `invalid_request` if
        the body is not that of a webhook, `batch_not_found` if the key has no such batch, `batch_not_finished` if it has
        not finished. `body`: as received, or parsed.
        """
        batch = self.batches.show(_batch_of_webhook(body))
        if batch.get("finished_at") is None:
            raise DeciderError("batch_not_finished", "The batch of the webhook call has not finished.")
        return batch

    def _get(self, path: str, has: str = "object") -> Dict[str, Any]:
        return self._calls.json(Call(path, has=(has,)))[0]


def _batch_of_webhook(body: Union[str, bytes, Mapping[str, Any]]) -> str:
    value: Any = body
    if isinstance(body, (str, bytes)):
        try:
            value = parse_json(body) if len(body) <= _WEBHOOK_CHARACTERS_MAX else None
        except ValueError:
            value = None
    id = value.get("id") if isinstance(value, Mapping) else None
    if isinstance(id, str) and _BATCH_ID.fullmatch(id):
        return id
    raise DeciderError("invalid_request", "The body is not that of a webhook call.")
