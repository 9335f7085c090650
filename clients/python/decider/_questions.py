"""Questions, in the form in which they are sent."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

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
    """A choice of one label. `criteria`: the labels, or what each of them means."""
    labels: Any = dict(criteria) if isinstance(criteria, Mapping) else list(criteria)
    return {"type": "choice", **_given(instructions), "criteria": labels}  # type: ignore[typeddict-item]


def score(instructions: Optional[str], criteria: Sequence[Optional[str]]) -> ScoreQuestion:
    """A level of a scale. `criteria`: what each level means, lowest first."""
    levels: List[Optional[str]] = list(criteria)
    return {"type": "score", **_given(instructions), "criteria": levels}  # type: ignore[typeddict-item]


def _given(instructions: Optional[str]) -> Dict[str, str]:
    return {} if instructions is None else {"instructions": instructions}
