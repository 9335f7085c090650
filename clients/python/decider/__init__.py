"""A client of decider servers: typed questions, answered with probabilities. Standard library only."""

from ._batches import Batches
from ._client import Decider, Decision
from ._errors import DeciderError
from ._http import ResponseInfo, Runtime
from ._questions import choice, noul, score
from ._tasks import TaskDecision, Tasks

__all__ = [
    "Batches",
    "Decider",
    "DeciderError",
    "Decision",
    "ResponseInfo",
    "Runtime",
    "TaskDecision",
    "Tasks",
    "choice",
    "noul",
    "score",
]
