"""The tasks of a workspace."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, cast

from ._http import Call, HttpCalls
from ._images import Images, body_of_decide, encode
from ._types import Task, TaskAnswers, TaskDeleted, TaskFit, TaskLabels

_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


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
    ) -> Task:
        """Makes a task, or changes it: other questions or another model make a new version."""
        fields = {
            "model": model,
            "description": description,
            "target_error": target_error,
            "confidence": confidence,
        }
        task: Dict[str, Any] = {"questions": dict(questions)}
        task.update({field: value for field, value in fields.items() if value is not None})
        headers = {"Content-Type": "application/json"}
        call = Call(_path(name), "PUT", encode(task), headers, has="name")
        return cast(Task, self._calls.json(call)[0])

    def list(self) -> List[Dict[str, Any]]:
        """All tasks, by name, without their questions."""
        return cast(List[Dict[str, Any]], self._calls.json(Call("v1/tasks", has="data"))[0]["data"])

    def show(self, name: str) -> Task:
        return cast(Task, self._calls.json(Call(_path(name), has="name"))[0])

    def decide(
        self,
        name: str,
        state: Any,
        *,
        images: Optional[Images] = None,
        image_budget: Optional[int] = None,
    ) -> TaskAnswers:
        """Answers the questions of a task about a state, as `decide` does; each answer also has `accept`."""
        request: Dict[str, Any] = {"state": state}
        if image_budget is not None:
            request["image_budget"] = image_budget
        body, headers = body_of_decide(request, images or {})
        call = Call(f"{_path(name)}/decide", "POST", body, headers, repeatable=False, has="answers")
        return cast(TaskAnswers, self._calls.json(call)[0])

    def label(self, name: str, labels: Sequence[Mapping[str, Any]]) -> TaskLabels:
        """Says which answers were correct: at most 1,000 in a call, all of which are stored, or none.

        Each has `expected`, the correct answers by question, and `request_id`, or `batch_id` and `custom_id`, or `state`,
        which is decided first and charged as a line of a batch.
        """
        body = b"".join(encode(dict(label)) + b"\n" for label in labels)
        headers = {"Content-Type": "application/jsonl"}
        repeatable = not any("state" in label for label in labels)
        call = Call(f"{_path(name)}/labels", "POST", body, headers, repeatable=repeatable, has="labels")
        return cast(TaskLabels, self._calls.json(call)[0])

    def fit(self, name: str) -> TaskFit:
        """Fits a task to its labels, and puts its thresholds in force."""
        return cast(TaskFit, self._calls.json(Call(f"{_path(name)}/fit", "POST", has="questions"))[0])

    def delete(self, name: str) -> TaskDeleted:
        """Deletes a task with everything that is known about its answers."""
        call = Call(_path(name), "DELETE", repeatable=False, has="name")
        return cast(TaskDeleted, self._calls.json(call)[0])


def _path(name: str) -> str:
    # URLs lose `.` and `..`.
    if _NAME.fullmatch(name) is None or name in (".", ".."):
        raise ValueError("name: must be 1 to 64 letters, digits, `_`, `.`, `:` or `-`, and not `.` or `..`.")
    return f"v1/tasks/{name}"
