"""Questions, in the form in which they are sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, Iterable, List, Optional, Sequence, Union

from ._types import ChoiceQuestion, NoulQuestion, ScoreQuestion


def noul(instructions: Optional[str] = None, criteria: Optional[Mapping[str, Optional[str]]] = None) -> NoulQuestion:
    """A yes-or-no question. `criteria`: what `yes` and `no` mean."""
    question: Dict[str, Any] = {"type": "noul", **_given(instructions)}
    if criteria is not None:
        question["criteria"] = dict(criteria)
    return question  # type: ignore[return-value]


def choice(
    instructions: Optional[str], criteria: Union[Sequence[str], Mapping[str, Optional[str]]]
) -> ChoiceQuestion:
    """A choice of one label. `criteria`: the labels, or what each of them means, in the order of the model's options.

    Raises TypeError for a string, whose letters would be taken for labels, and for a set, which has no order.
    """
    labels: Any = dict(criteria) if isinstance(criteria, Mapping) else _listed(criteria)
    return {"type": "choice", **_given(instructions), "criteria": labels}  # type: ignore[typeddict-item]


def score(instructions: Optional[str], criteria: Sequence[Optional[str]]) -> ScoreQuestion:
    """A level of a scale. `criteria`: what each level means, lowest first. Raises TypeError as `choice` does."""
    levels = _listed(criteria)
    return {"type": "score", **_given(instructions), "criteria": levels}  # type: ignore[typeddict-item]


def _listed(criteria: Iterable[Optional[str]]) -> List[Optional[str]]:
    if isinstance(criteria, (str, bytes, set, frozenset)):
        raise TypeError("criteria: must be a list, not a string or a set.")
    return list(criteria)


def _given(instructions: Optional[str]) -> Dict[str, str]:
    return {} if instructions is None else {"instructions": instructions}
