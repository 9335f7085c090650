"""Rewrites texts of the training part in other words, without changing what they say."""

import re
from dataclasses import dataclass
from random import Random

from bank import TRAIN, Bank, Label

#: The words of the longest phrase that is replaced.
LONGEST_PHRASE = 6
#: Shares of labels whose description is another one's of the same meaning, whose name is written in another style, and of
#: names and descriptions with other words.
DESCRIBED_ANEW, RESTYLED, REWORDED = 0.4, 0.3, 0.35
STYLES = (
    " ".join,
    "_".join,
    "-".join,
    lambda parts: " ".join(parts).capitalize(),
    lambda parts: " ".join(parts).title(),
    lambda parts: " ".join(parts).upper(),
    lambda parts: "_".join(parts).upper(),
    lambda parts: parts[0] + "".join(map(str.title, parts[1:])),
)
PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True)
class Changes:
    """How much messages are changed: shares of messages, and of the words of those."""

    substituted: float
    #: Of words at which a replacement is looked for.
    substituted_words: float
    shortened: float
    dropped_words: float


FEW = Changes(0.6, 0.2, 0.3, 0.06)
MANY = Changes(0.8, 0.2, 0.5, 0.1)
WORD = re.compile(r"\w+(?:['’]\w+)?")


class Rewording:
    """Replaces words by others of the given kinds of sets, see `REPLACEMENTS`, in the training part only."""

    def __init__(self, bank: Bank, random: Random, sets: tuple[str, ...]):
        self.random = random
        self.changes = FEW
        self.active = bank.part == TRAIN
        self.swaps = _swaps(bank, sets) if self.active else {}

    def message(self, text: str) -> str:
        """Synonyms, dropped words, typing errors and capitals."""
        random = self.random
        if random.random() < self.changes.substituted:
            text = self.substitute(text)
        if random.random() < self.changes.shortened:
            parts = text.split(" ")
            dropped = self.changes.dropped_words
            text = " ".join(part for n, part in enumerate(parts) if n == 0 or random.random() > dropped)
        if random.random() < 0.12:
            text = mistype(text, random)
        change = random.random()
        if change < 0.12:
            text = text.lower()
        elif change < 0.14:
            text = text.upper()
        elif change < 0.2:
            text = text.rstrip(".!")
        return text

    def substitute(self, text: str) -> str:
        """Replaces words and phrases, the longest first, by others of their set; the first of a set more often."""
        found = list(WORD.finditer(text))
        parts, end, at = [], 0, 0
        while at < len(found):
            step = 1
            if self.random.random() < self.changes.substituted_words:
                for count in range(min(LONGEST_PHRASE, len(found) - at), 0, -1):
                    start, stop = found[at].start(), found[at + count - 1].end()
                    members = self.swaps.get(text[start:stop].lower())
                    if members is not None:
                        weights = [1 / (rank + 1) for rank in range(len(members))]
                        chosen = self.random.choices(members, weights)[0]
                        parts += [text[end:start], chosen[0].upper() + chosen[1:] if text[start].isupper() else chosen]
                        end, step = stop, count
                        break
            at += step
        return "".join([*parts, text[end:]])

    def label(self, label: Label, described: list[Label]) -> Label:
        """
        The label with other words, in another style, or, if it has a description, with that of one of `described`, labels of
        the same meaning.
        """
        random = self.random
        if not self.active:
            return label
        name, description = label.name, label.description
        if description and random.random() < DESCRIBED_ANEW:
            description = random.choice(described).description
        if description and random.random() < REWORDED:
            description = self.substitute(description)
        if random.random() < REWORDED:
            name = self.substitute(name)
        parts = [part.lower() for part in PARTS.findall(name)]
        if sum(map(len, parts)) == len(re.sub(r"[\s_-]", "", name)) > 0 and random.random() < RESTYLED:
            name = random.choice(STYLES)(parts)
        return Label(label.meaning, name, description)


def _swaps(bank: Bank, sets: tuple[str, ...]) -> dict[str, list[str]]:
    """The replacements of each word and phrase."""
    found: dict[str, list[str]] = {}
    for members in [members for kind in sets for members in bank.synonyms[kind]]:
        for member in members:
            found.setdefault(member.lower(), []).extend(one for one in members if one != member)
    return found


def mistype(text: str, random: Random) -> str:
    """Swaps, drops or doubles a letter."""
    places = [n for n in range(1, len(text) - 1) if text[n].isalpha() and text[n - 1].isalpha()]
    if not places:
        return text
    at = random.choice(places)
    kind = random.randrange(3)
    if kind == 0:
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text[:at] + text[at + 1 :] if kind == 1 else text[:at] + text[at] + text[at:]


#: How often a question about a record is written without its mark and capital, without the words that begin it, and mistyped.
BARE, SHORT, QUESTION_MISTYPED = 0.25, 0.2, 0.08
PLACE = re.compile(r"(\{\w+\})")
#: What people leave out at the beginning of a question: "What is the status?" becomes "status?".
BEGINNING = re.compile(r"(what|which|who|how much|when|where) (is|are|was|were) (the |its |it )?|(is|are|was|were) (the |it |this )|what's (the )?|tell me (the |whether )", re.I)


def rough(text: str, random: Random) -> str:
    """A question of the bank as people type it: shorter, without capitals, with typing errors. Its places stay as they are."""
    if random.random() < SHORT:
        short = text[BEGINNING.match(text).end() :] if BEGINNING.match(text) else text
        text = short if len(short) > 3 else text
    if random.random() < BARE:
        text = text.rstrip("?.")
        text = text if text.startswith("{") else text[:1].lower() + text[1:]
    if random.random() < QUESTION_MISTYPED:
        parts = PLACE.split(text)
        at = random.randrange(0, len(parts), 2)
        parts[at] = mistype(parts[at], random)
        text = "".join(parts)
    return text
