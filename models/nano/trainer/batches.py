"""Packs states and their questions into batches of token rows."""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass
from random import Random

import numpy as np

from bank import DEVELOPMENT, HELD, TRAIN, Bank
from cells import find_whole
from messages import Messages
from prompt import Prompts, Question
from records import Records
from tokenizer import Tokenizer
from unknown import AS_MESSAGE, NO_MESSAGES, Unknown, flat

#: As KINDS_SHARE and TABLES_SHARE of records.py, the share in evaluations, so that their figures can be compared; schedule.py
#: has those in training.
MESSAGES_SHARE = 0.62
#: The share of states near the domain, and of the other states with a question that they do not answer, see unknown.py.
UNKNOWN_SHARE, BESIDE_SHARE = 0.05, 0.0


@dataclass
class Answer:
    """Where a question is answered in a batch, by indices into its tokens (row * length + place)."""

    at: int
    start: int  # of the state
    answer: int
    family: str
    type: str
    letters: list[int]  # places of the options' letters; empty if none are listed
    options: int
    content: int  # what the answer stands for
    contents: list[int]  # what each listed option stands for
    entry: tuple[int, int] | None  # the first and the last token that the answer is read from, see Question
    negated: bool | None  # see Question
    flat: bool  # see Question
    #: Of a choice about a record: where each option is in the state; the start token of those that are not.
    places: list[tuple[int, int]]


@dataclass
class Batch:
    ids: np.ndarray  # rows x length, int64
    positions: np.ndarray
    ranges: np.ndarray  # rows x length x 3, int32: what each token sees, see attention.c
    answers: list[Answer]
    states: list[tuple[int, int, tuple[int, ...]]]  # first token of a message, the one after its last, its attributes
    #: For each kind of link, see cells.py: tokens, each with the first and the last one that it must attend to.
    links: dict[str, list[tuple[int, tuple[int, int]]]]
    used: int  # tokens


class Concepts:
    """Numbers of contents: families of words first, then classes such as ("topic", "billing")."""

    def __init__(self, families: list[int], intents: list[str]):
        self.families = families
        self.first = max(families) + 1
        names = [("answer", one) for one in ("yes", "no")]
        names += [("topic", one) for one in sorted({intent.split(".")[0] for intent in intents})]
        names += [("intent", one) for one in sorted(set(intents))]
        names += [("sentiment", one) for one in ("neg", "neu", "pos")]
        names += [("anger", one) for one in ("angry", "calm")]
        names += [("urgency", str(one)) for one in range(4)]
        self.numbers = {name: self.first + n for n, name in enumerate(names)}
        self.intents = sorted(set(intents))
        self.topics = sorted({intent.split(".")[0] for intent in intents})
        self.count = self.first + len(names)

    def attributes(self, message) -> tuple[int, ...]:
        return (
            self.topics.index(message.topic),
            self.intents.index(message.intent),
            ("neg", "neu", "pos").index(message.sentiment),
            int(message.anger),
            message.urgency,
            int(message.refund),
            int(message.cancel),
        )

    def sizes(self) -> tuple[int, ...]:
        return (len(self.topics), len(self.intents), 3, 2, 4, 2, 2)


def make_concepts(tokenizer: Tokenizer) -> Concepts:
    return Concepts(tokenizer.families(), [message.intent for part in (TRAIN, DEVELOPMENT, HELD) for message in Bank(part).messages])


class Batches:
    """
    Makes batches without end. `mix` is the share of messages; the rest are records. Before that, `unknown_share` are states
    near the domain.
    """

    def __init__(self, bank: Bank, prompts: Prompts, concepts: Concepts, random: Random):
        self.prompts, self.concepts, self.random, self.mix = prompts, concepts, random, MESSAGES_SHARE
        self.messages, self.records, self.unknown = Messages(bank, random), Records(bank, random), Unknown(bank, random)
        self.unknown_share, self.beside_share = UNKNOWN_SHARE, BESIDE_SHARE

    def sample(self, questions: int):
        """A state with its questions, the attributes of a message, and the links of a table."""
        if self.random.random() < self.unknown_share:
            return *self.sample_unknown(questions), None, []
        if self.random.random() < self.mix:
            message = self.messages.draw()
            text, asked = self.messages.state(message), self.messages.questions(message, questions)
            return text, self.with_beside(asked), self.concepts.attributes(message), []
        text, asked, links = self.records.draw()
        return text, self.with_beside(asked[:questions]), None, links

    def sample_unknown(self, questions: int) -> tuple[str, list[Question]]:
        """A state near the domain with questions that cannot be answered, some of them those about messages."""
        kind, text, asked = self.unknown.draw(questions)
        if kind in NO_MESSAGES and self.random.random() < AS_MESSAGE:
            asked = flat(self.messages.questions(self.messages.draw(), questions))
        return text, asked

    def with_beside(self, asked: list[Question]) -> list[Question]:
        """The questions, the last of which is sometimes one that the state does not answer."""
        if asked and self.random.random() < self.beside_share:
            return [*asked[:-1], self.unknown.beside()]
        return asked

    def batch(self, rows: int, length: int, questions: int = 8) -> Batch:
        made = Batch(
            ids=np.zeros((rows, length), np.int64),
            positions=np.zeros((rows, length), np.int64),
            ranges=np.zeros((rows, length, 3), np.int32),
            answers=[],
            states=[],
            links=defaultdict(list),
            used=0,
        )
        for row in range(rows):
            self.fill(made, row, length, questions)
        return made

    def fill(self, made: Batch, row: int, length: int, questions: int) -> None:
        at, misses = 0, 0
        while misses < 3 and at < length - 40:
            text, asked, attributes, links = self.sample(questions)
            state = self.prompts.state(text)
            end = at + len(state)
            if end > length - 24 or not asked:
                misses += 1
                continue
            leaves = 0
            for question in asked:
                leaf = self.prompts.leaf(question)
                if end + len(leaf.tokens) > length:
                    continue
                leaves += 1
                span = slice(end, end + len(leaf.tokens))
                made.ids[row, span] = leaf.tokens
                made.positions[row, span] = np.arange(len(state), len(state) + len(leaf.tokens))
                made.ranges[row, span] = (at, at + len(state), end)
                answer = self.place(question, leaf, row * length + end, row * length + at)
                if attributes is None:
                    self.trace(answer, question, text)
                made.answers.append(answer)
                end = span.stop
            if leaves == 0:
                misses += 1
                continue
            span = slice(at, at + len(state))
            made.ids[row, span] = state
            made.positions[row, span] = np.arange(len(state))
            made.ranges[row, span] = (at, at, at)
            if attributes is not None:
                made.states.append((row * length + at + 1, row * length + span.stop, attributes))
            for link in links:
                first, last = self.tokens(text, link.source, row * length + at)
                target = self.tokens(text, link.target, row * length + at)
                made.links[link.head] += [(token, target) for token in range(first, last + 1)]
            made.used += end - at
            at = end
        # Padding sees padding: tokens that see the same are computed together.
        made.ranges[row, at:] = at

    def place(self, question: Question, leaf, offset: int, start: int) -> Answer:
        contents = [self.content(option.concept, first) for option, first in zip(question.options, leaf.firsts)]
        right = question.options[question.answer].concept
        content = self.content(right, leaf.firsts[question.answer] if leaf.firsts else 0)
        return Answer(
            at=offset + len(leaf.tokens) - 1,
            start=start,
            answer=question.answer,
            family=question.family,
            type=question.type,
            letters=[offset + place for place in leaf.letters],
            options=len(question.options),
            content=content,
            contents=contents,
            entry=None,
            negated=question.negated,
            flat=question.flat,
            places=[],
        )

    def trace(self, answer: Answer, question: Question, text: str) -> None:
        """Sets where the record has the entry that the question is about, and its options."""
        if question.entry is not None:
            answer.entry = self.tokens(text, question.entry, answer.start)
        if question.type == "choice" and not question.flat:
            for number, option in enumerate(question.options):
                inside = question.entry if number == question.answer else None
                found = (inside and find_whole(text[: inside[1]], option.name, inside[0])) or find_whole(text, option.name)
                answer.places.append((answer.start, answer.start) if found is None else self.tokens(text, found, answer.start))

    def tokens(self, text: str, span: tuple[int, int], start: int) -> tuple[int, int]:
        """The first and the last token of a part of the state."""
        ends = self.prompts.ends(text)
        first, last = bisect_right(ends, (span[0], math.inf)), bisect_left(ends, (span[1], 0))
        before = ends[first - 1][1] if first > 0 else 0
        return start + 1 + before, start + ends[min(last, len(ends) - 1)][1]

    def content(self, concept: tuple[str, str] | None, first: int) -> int:
        return self.concepts.families[first] if concept is None else self.concepts.numbers[concept]
