"""
Finds texts of the evaluation sets in the training data: those of which a run of words that is nearly the whole text stands
there, whatever the capitals and signs.

    python3 overlap.py
"""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from bank import TRAIN, Bank
from phrases import expand
from unknown import Unknown

EVALUATION = Path(__file__).resolve().parent.parent / "evaluation"
SETS = ("handwritten", "near", "outside", "scale")
#: The share of a text's words, and the least and the most words, of a run that the training data may not have. Shorter runs,
#: such as "change the email address of my", belong to nobody.
SHARE, RUN_LEAST, RUN_MOST = 0.75, 4, 12
#: Texts that each phrase with alternatives is expanded to.
EXPANSIONS = 10


def words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.lower()))


def strings(value) -> Iterator[str]:
    """The texts of a state."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def training_texts(bank: Bank) -> Iterator[str]:
    random = Random(0)
    for message in bank.messages:
        yield message.text
    phrases = [message.text for message in bank.phrases] + [text for texts in bank.sentences.values() for text in texts]
    for phrase in phrases:
        for _ in range(EXPANSIONS):
            yield expand(phrase, random)
    unknown = Unknown(bank, random)
    for kind in unknown.states:
        for state in unknown.states[kind]:
            for _ in range(EXPANSIONS):
                yield unknown.expand(state)


def runs(text: tuple[str, ...], length: int) -> Iterator[tuple[str, ...]]:
    return (text[at : at + length] for at in range(len(text) - length + 1))


def overlaps() -> list[str]:
    """The ids of the cases with the run that is shared."""
    owners: dict[tuple[str, ...], str] = {}
    for name in SETS:
        for line in (EVALUATION / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            for text in map(words, strings(case["request"]["state"])):
                length = min(RUN_MOST, math.ceil(SHARE * len(text)))
                if length >= RUN_LEAST:
                    owners |= {run: case["id"] for run in runs(text, length)}
    lengths = sorted({len(run) for run in owners})
    found = set()
    for text in map(words, training_texts(Bank(TRAIN))):
        for length in lengths:
            found |= {f"{owners[run]}: {' '.join(run)}" for run in runs(text, length) if run in owners}
    return sorted(found)


if __name__ == "__main__":
    for one in overlaps():
        print(one)
