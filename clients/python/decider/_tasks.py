"""The tasks of a workspace."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, cast

from ._errors import DeciderError
from ._http import Call, HttpCalls, ResponseInfo
from ._images import Images, body_of_decide, encode, encode_line
from ._types import Task, TaskAnswers, TaskDeleted, TaskFit, TaskLabels

_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,64}")

# Limits of a call of the server (docs/contract.md).
LABEL_BYTES_MAX = 4 * 1024 * 1024
LABEL_LINES_MAX = 1_000
# Lines with a state of a call. The server takes 100; fewer are decided again, and charged again, if the call fails.
LABEL_STATES_MAX = 25
# Questions of a task at most: the prompts of a line with a state.
TASK_QUESTIONS_MAX = 16


@dataclass(frozen=True)
class TaskDecision:
    """An answered request about a task."""

    #: The build that answered.
    model: str
    #: One answer per question, under its name, as those of `Decision`; each also has `accept`.
    answers: Dict[str, Dict[str, Any]]
    #: `input_tokens` and `output_tokens`.
    usage: Dict[str, Any]
    #: `name` and `version`.
    task: Dict[str, Any]
    #: About the HTTP exchange; its `request_id` names the answer in labels.
    info: ResponseInfo


class Tasks:
    """The tasks of the key's workspace. Every call raises DeciderError if it is not answered with success.

    Every call raises ValueError for a name that no task has.
    """

    def __init__(self, calls: HttpCalls) -> None:
        self._calls = calls

    def put(
        self,
        name: str,
        questions: Mapping[str, Any],
        *,
        model: Optional[str] = None,
        description: Optional[str] = None,
        target_error: Optional[float] = None,
        confidence: Optional[float] = None,
        shadow: Optional[Mapping[str, Any]] = None,
    ) -> Task:
        """Makes a task, or changes it: other questions or another model make a new version.

        `shadow` is `{"model", "share"}`: a second build that is run on a share of the requests, above 0 to 1.
        """
        fields = {
            "model": model,
            "description": description,
            "target_error": target_error,
            "confidence": confidence,
            "shadow": None if shadow is None else dict(shadow),
        }
        task: Dict[str, Any] = {"questions": dict(questions)}
        task.update({field: value for field, value in fields.items() if value is not None})
        headers = {"Content-Type": "application/json"}
        call = Call(_path(name), "PUT", encode(task), headers, has=("name",))
        return cast(Task, self._calls.json(call)[0])

    def list(self) -> List[Dict[str, Any]]:
        """All tasks, by name, without their questions."""
        return cast(List[Dict[str, Any]], self._calls.json(Call("v1/tasks", has=("data",)))[0]["data"])

    def show(self, name: str) -> Task:
        return cast(Task, self._calls.json(Call(_path(name), has=("name",)))[0])

    def decide(
        self,
        name: str,
        state: Any,
        *,
        images: Optional[Images] = None,
        image_budget: Optional[int] = None,
    ) -> TaskDecision:
        """Answers the questions of a task about a state, as `decide` does; each answer also has `accept`."""
        request: Dict[str, Any] = {"state": state}
        if image_budget is not None:
            request["image_budget"] = image_budget
        body, headers = body_of_decide(request, images or {})
        call = Call(f"{_path(name)}/decide", "POST", body, headers, repeatable=False, has=("model", "answers", "usage", "task"))
        answer, info = self._calls.json(call)
        response = cast(TaskAnswers, answer)
        answers, usage, task = cast(Any, (response["answers"], response["usage"], response["task"]))
        return TaskDecision(response["model"], answers, usage, task, info)

    def label(
        self,
        name: str,
        labels: Iterable[Mapping[str, Any]],
        *,
        on_progress: Optional[Callable[[TaskLabels], None]] = None,
    ) -> TaskLabels:
        """Says which answers were correct, in as many calls as the labels need.

        Each has `expected`, the correct answers by question, and `request_id`, or `batch_id` and `custom_id`, or `state`,
        which is decided first and charged as a line of a batch, with `images` as for `decide`. Labels of one call are all
        stored, or none. If a call fails, the labels of the calls before it stay stored; `lines` of the error counts from
        the first label. Labels of answers are sent again after a lost connection, which changes nothing; those with a
        state are not, because they are charged. `on_progress`: called after each call with what is stored.
        """
        path = f"{_path(name)}/labels"
        stored: Optional[TaskLabels] = None
        for body, states in _pieces(labels):
            before = 0 if stored is None else stored["lines"]
            headers = {"Content-Type": "application/jsonl"}
            # As many as a task can have: its questions are not known here.
            prompts = states * TASK_QUESTIONS_MAX
            call = Call(path, "POST", body, headers, repeatable=states == 0, has=("labels", "lines"), prompts=prompts)
            try:
                answer = cast(TaskLabels, self._calls.json(call)[0])
            except DeciderError as error:
                error.lines = [{**line, "line": line["line"] + before} for line in error.lines]
                raise
            answer["lines"] += before
            stored = answer
            if on_progress is not None:
                on_progress(stored)
        if stored is None:
            raise DeciderError("empty_batch", "There are no labels.")
        return stored

    def fit(self, name: str) -> TaskFit:
        """Fits a task to its labels, and puts its thresholds in force."""
        return cast(TaskFit, self._calls.json(Call(f"{_path(name)}/fit", "POST", has=("questions",)))[0])

    def promote(self, name: str, *, version: Optional[int] = None, model: Optional[str] = None) -> Task:
        """Makes the shadow build of a task its model, as a new version without a shadow.

        With `version` and `model` it is refused unless this version is in use and this build is the shadow build.
        """
        expected = {"version": version, "model": model}
        headers = {"Content-Type": "application/json"}
        call = Call(f"{_path(name)}/promote", "POST", encode(expected), headers, repeatable=False, has=("name",))
        return cast(Task, self._calls.json(call)[0])

    def delete(self, name: str) -> TaskDeleted:
        """Deletes a task with everything that is known about its answers."""
        call = Call(_path(name), "DELETE", repeatable=False, has=("name",))
        return cast(TaskDeleted, self._calls.json(call)[0])


def _pieces(labels: Iterable[Mapping[str, Any]]) -> Iterator[Tuple[bytes, int]]:
    """The bodies of calls, and how many lines of each have a state. Takes a label only when it is needed.

    Raises DeciderError `body_too_large` for a label that no call can have, and what the labels raise.
    """
    # Their characters would be taken for labels.
    if isinstance(labels, (str, bytes, bytearray, Mapping)):
        raise TypeError("labels: must be a list of labels, not a string or one label.")
    body, lines, states = bytearray(), 0, 0
    for taken, label in enumerate(labels, 1):
        line = encode_line(label)
        if len(line) > LABEL_BYTES_MAX:
            raise DeciderError("body_too_large", f"Label {taken} has more than {LABEL_BYTES_MAX} bytes.")
        state = 0 if label.get("state") is None else 1
        if len(body) + len(line) > LABEL_BYTES_MAX or lines == LABEL_LINES_MAX or states + state > LABEL_STATES_MAX:
            yield bytes(body), states
            body, lines, states = bytearray(), 0, 0
        body += line
        lines += 1
        states += state
    if lines > 0:
        yield bytes(body), states


def _path(name: str) -> str:
    # URLs lose `.` and `..`.
    if _NAME.fullmatch(name) is None or name in (".", ".."):
        raise ValueError("name: must be 1 to 64 letters, digits, `_`, `.`, `:` or `-`, and not `.` or `..`.")
    return f"v1/tasks/{name}"
