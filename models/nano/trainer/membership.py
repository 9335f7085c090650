"""
Prints a digest of every text of a part of the bank, so that tests can compare which texts are held out.

    python3 membership.py held > ../evaluation/held-out.txt
"""

import hashlib
import sys
from collections.abc import Iterator

from bank import Bank, split_of

#: Characters of a digest: of ten thousand texts, two have the same one with a probability of 1e-2.
DIGITS = 8


def digests(part: str) -> set[str]:
    return {hashlib.sha256(text.encode()).hexdigest()[:DIGITS] for text in texts(part)}


def texts(part: str) -> Iterator[str]:
    """What decides about each line of the part, with the kind of line before it."""
    bank = Bank(part)
    for message in [*bank.messages, *bank.phrases]:
        yield f"message {message.topic} {message.text}"
    for (form, type), asked in bank.questions.items():
        for text in asked:
            if split_of(form + text) == part:
                yield f"question {type} {form} {text}"
    for kind, labels in bank.labels.items():
        for label in labels:
            if split_of(label.meaning + label.name) == part:
                yield f"label {kind} {label.meaning} {label.name}"
    for levels, scales in bank.scales.items():
        for scale in scales:
            yield f"scale {levels} {' '.join(label.name + (label.description or '') for _, label in scale)}"
    for record in bank.kinds:
        yield f"record {record}"
    for field in bank.fields:
        for value in field.values:
            if split_of(value) == part:
                yield f"value {field.key} {value}"
    for kind, sentences in bank.sentences.items():
        for text in sentences:
            yield f"sentence {kind} {text}"


if __name__ == "__main__":
    for digest in sorted(digests(sys.argv[1])):
        print(digest)
