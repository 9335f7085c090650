"""
Requests near the domain that the model cannot answer, such as whether a tool call is safe or in which language a text is.

Their targets are flat: every option is as probable as the others, so that the model learns to be unsure. A question is put
to any state of its kind, because no answer is right or wrong here.
"""

import json
import re
from dataclasses import dataclass, replace
from random import Random

from bank import Bank
from prompt import YES_NO, Option, Question
from rewording import mistype

#: A group of alternatives. Braces without alternatives are text, as in JSON.
GROUP = re.compile(r"\{([^{}|]*\|[^{}]*)\}")
#: Kinds whose questions neither a message nor a record answers. Others have questions about urgency, tone or spam.
BESIDE = ("code", "facts", "gating", "inference", "numbers")
#: Kinds whose states answer no question about messages. Reviews, for instance, have a sentiment.
NO_MESSAGES = ("code", "comparing", "dates", "facts", "gating", "inference", "judging", "news", "numbers", "policies")
#: Families of questions about messages that any text answers.
ANSWERED_BY_ANY = ("mentions",)
#: How often a text has a typing error, how often states are joined to a longer one, and how often those of NO_MESSAGES are asked
#: what is asked about messages.
MISTYPED, JOINED, AS_MESSAGE = 0.1, 0.2, 0.2
#: Of states that are JSON objects.
SENT_AS_JSON = 0.7
#: States that are added to a state, and options of a choice.
JOINED_MOST, OPTIONS_MAX = 7, 6


@dataclass(frozen=True)
class Asked:
    """A question of the bank with its options; none for yes or no."""

    type: str
    text: str
    options: tuple[str, ...]


class Unknown:
    def __init__(self, bank: Bank, random: Random):
        self.random = random
        self.states: dict[str, list[str]] = {}
        self.asked: dict[str, list[Asked]] = {}
        for kind, rows in bank.unknown.items():
            self.states[kind] = [row["text"] for row in rows if row["use"] == "state"]
            self.asked[kind] = [_asked(row) for row in rows if row["use"] != "state"]
        self.kinds = sorted(kind for kind in bank.unknown if self.states[kind] and self.asked[kind])

    def draw(self, questions: int) -> tuple[str, str, list[Question]]:
        """A kind, a state of it, and questions about it."""
        random = self.random
        kind = random.choice(self.kinds)
        text = self.as_sent(self.expand(random.choice(self.states[kind])))
        if random.random() < JOINED:
            between = random.choice(("\n", " ", "\n\n"))
            text = between.join([text, *(self.expand(random.choice(self.states[kind])) for _ in range(random.randint(1, JOINED_MOST)))])
        return kind, text, [self.question(kind) for _ in range(random.randint(1, questions))]

    def beside(self) -> Question:
        """A question that neither messages nor records answer."""
        return self.question(self.random.choice([kind for kind in self.kinds if kind in BESIDE]))

    def question(self, kind: str) -> Question:
        random = self.random
        asked = random.choice(self.asked[kind])
        text = self.expand(asked.text)
        if asked.type == "noul":
            return Question("unknown", "noul", text, YES_NO, 0, flat=True)
        names = list(asked.options)
        if asked.type == "choice":
            names = random.sample(names, random.randint(2, min(len(names), OPTIONS_MAX)))
            options = tuple(Option(name, None) for name in names)
        else:
            options = tuple(Option(str(n), name) for n, name in enumerate(names))
        return Question("unknown", asked.type, text, options, 0, flat=True)

    def as_sent(self, text: str) -> str:
        """The text, or, of most JSON objects, what the server makes of one that is sent as such."""
        try:
            value = json.loads(text)
        except ValueError:
            return text
        is_object = isinstance(value, dict) and self.random.random() < SENT_AS_JSON
        return json.dumps(value, indent=2, ensure_ascii=False) if is_object else text

    def expand(self, text: str) -> str:
        """One of the texts that alternatives stand for."""
        while GROUP.search(text):
            text = GROUP.sub(lambda match: self.random.choice(match.group(1).split("|")), text)
        text = text.replace("\\n", "\n").strip()
        if self.random.random() < MISTYPED:
            text = mistype(text, self.random)
        return text[:1].upper() + text[1:] if self.random.random() < 0.5 else text


def flat(questions: list[Question]) -> list[Question]:
    """The questions without an answer, because the state has none."""
    return [replace(one, family="unknown", flat=True, negated=None, entry=None) for one in questions if one.family not in ANSWERED_BY_ANY]


def _asked(row: dict[str, str]) -> Asked:
    return Asked(row["use"], row["text"], tuple(row["options"].split(" | ")) if row["options"] else ())
