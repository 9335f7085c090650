"""
The hand-written texts of ../bank, divided into parts for training, development and the final evaluation.

Each kind of data has a folder and each attribute a file: `messages/delivery.tsv`, `labels/topic.tsv`.
"""

import csv
import hashlib
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random

BANK = Path(__file__).resolve().parent.parent / "bank"
#: Kinds of sets in words/synonyms.tsv whose members replace each other. Alternatives, such as weekdays, change what a message says,
#: but none of its attributes; the answer of a question about a record would change.
SYNONYMS = ("word", "phrase")
REPLACEMENTS = (*SYNONYMS, "alternative")
TRAIN, DEVELOPMENT, HELD = "train", "development", "held"
TOPICS = sorted(path.stem for path in (BANK / "messages").glob("*.tsv"))


def split_of(text: str) -> str:
    """The part that a line of the bank belongs to, from its hash, so that it never changes when lines are added."""
    number = hashlib.sha256(text.encode()).digest()[0]
    if number % 10 == 0:
        return HELD
    return DEVELOPMENT if number % 20 == 1 else TRAIN


@dataclass(frozen=True)
class Message:
    text: str
    topic: str
    intent: str  # "<topic>.<intent>"
    sentiment: str  # pos, neu or neg
    anger: bool
    urgency: int  # 0 can wait, 1 nothing said, 2 soon, 3 at once
    refund: bool
    cancel: bool


@dataclass(frozen=True)
class Label:
    meaning: str
    name: str
    description: str | None


@dataclass(frozen=True)
class Field:
    key: str
    kind: str  # text, flag, number or status
    values: tuple[str, ...]


@dataclass(frozen=True)
class Key:
    """A key of a kind of record, see records/kinds.tsv: its values and the ways to ask about it."""

    key: str
    kind: str  # as of Field
    values: tuple[str, ...]
    asks: tuple[str, ...]  # for the value; of flags, whether it is on
    asks_not: tuple[str, ...]  # whether the flag is off
    asks_value: tuple[str, ...]  # whether it is {value}
    asks_given: tuple[str, ...]  # whether there is a value
    asks_missing: tuple[str, ...]


@dataclass(frozen=True)
class Listed:
    """A list of a record, see records/lists.tsv: what can be in it, and the ways to ask whether {value} is."""

    key: str
    values: tuple[str, ...]
    asks: tuple[str, ...]
    asks_not: tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """A column of a kind of table, see records/tables.tsv."""

    key: str
    kind: str  # as of Field
    values: tuple[str, ...]
    asks: tuple[str, ...]  # for the value of {row}; of flags, whether it is on
    asks_row: tuple[str, ...]  # which row has {value}


@dataclass(frozen=True)
class Table:
    name: str  # the key of the rows' names
    rows: tuple[str, ...]
    columns: tuple[Column, ...]


#: A scale of urgency: for each level, the urgencies that it stands for and its label.
Scale = list[tuple[tuple[float, ...], Label]]


class Bank:
    """One part of the bank. Synonyms, opposites of flags, openers and added sentences are used in training only."""

    def __init__(self, part: str):
        self.part = part
        self.messages = [message for message in _messages(BANK / "messages") if split_of(message.text) == part]
        #: Messages with alternatives in braces and slots, see phrases.py.
        self.phrases = [message for message in _messages(BANK / "phrases") if split_of(message.text) == part]
        self.questions: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.labels: dict[str, list[Label]] = defaultdict(list)
        self.scales: dict[int, list[Scale]] = defaultdict(list)
        self.read_questions()
        self.read_labels()
        if part == DEVELOPMENT:
            self.complete(Bank(TRAIN))
        self.fields = list(_fields(part))
        #: The keys of each kind of record.
        self.kinds: dict[str, list[Key]] = defaultdict(list)
        for row in _rows("records/kinds.tsv"):
            if split_of(row["record"]) == part:
                self.kinds[row["record"]].append(_key(row))
        #: Records that have flags only, with many ways to ask for the opposite.
        self.opposites: dict[str, list[Key]] = defaultdict(list)
        for row in _rows("records/opposites.tsv"):
            # A kind of another part can have the same name.
            if part == split_of(row["record"]) == TRAIN:
                self.opposites[row["record"]].append(_key(row | {"kind": "flag"}))
        self.lists = [
            Listed(row["key"], _many(row["values"]), _many(row["asks"]), _many(row["asks_not"]))
            for row in _rows("records/lists.tsv")
            if split_of(row["key"]) == part
        ]
        self.tables = _tables(part)
        #: Keys that have one of two opposite states, each with the words for it.
        self.antonyms = [
            (_many(row["keys"]), _many(row["one"]), _many(row["other"])) for row in _rows("records/antonyms.tsv") if split_of(row["keys"]) == part
        ]
        self.synonyms: dict[str, list[list[str]]] = defaultdict(list)
        self.sentences: dict[str, list[str]] = defaultdict(list)
        for row in _rows("words/synonyms.tsv"):
            members = row["members"].split(" | ")
            if row["kind"] in REPLACEMENTS:
                self.synonyms[row["kind"]].append(members)
            elif split_of(row["members"]) == part:
                self.sentences[row["kind"]].append(row["members"])
        for row in _rows("words/tails.tsv"):
            if split_of(row["text"]) == part:
                self.sentences[row["kind"]].append(row["text"])
        #: Requests that the model cannot answer, see unknown.py.
        self.unknown = {
            path.stem: [row for row in _rows(path) if split_of(row["use"] + row["text"]) == part]
            for path in sorted((BANK / "unknown").glob("*.tsv"))
        }

    def read_questions(self) -> None:
        for path in sorted((BANK / "questions").glob("*.tsv")):
            for row in _rows(path):
                if split_of(row["form"] + row["text"]) == self.part:
                    self.questions[row["form"], row["type"]].append(row["text"])

    def read_labels(self) -> None:
        for path in sorted((BANK / "labels").glob("*.tsv")):
            if path.stem.startswith("urgency_"):
                levels = int(path.stem[-1])
                self.scales[levels] += _scales(path, levels, self.part)
            else:
                self.labels[path.stem] += [label for label in _labels(path) if split_of(label.meaning + label.name) == self.part]

    def ask(self, random: Random, form: str, type: str, **places: str) -> str | None:
        """One way to ask, with its places filled in; None if the part has none of this form."""
        texts = self.questions.get((form, type))
        if not texts:
            return None
        text = random.choice(texts)
        for name, value in places.items():
            text = text.replace("{" + name + "}", value)
        return text

    def complete(self, training: "Bank") -> None:
        """Adds questions and labels of the training part where this part, which is small, has none."""
        for key, texts in training.questions.items():
            self.questions.setdefault(key, texts)
        for kind, labels in training.labels.items():
            own = {label.meaning for label in self.labels[kind]}
            self.labels[kind] += [label for label in labels if label.meaning not in own]


def _rows(file: str | Path) -> list[dict[str, str]]:
    """The rows of a file; a relative path is one of the bank."""
    with (BANK / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _messages(folder: Path):
    for topic in TOPICS:
        for row in _rows(folder / f"{topic}.tsv"):
            flags = {name: row[name] == "1" for name in ("anger", "refund", "cancel")}
            yield Message(
                text=row["text"],
                topic=topic,
                intent=f"{topic}.{row['intent']}",
                sentiment=row["sentiment"],
                urgency=int(row["urgency"]),
                **flags,
            )


def _labels(path: Path):
    for row in _rows(path):
        yield Label(row["meaning"], row["label"], row["description"] or None)


def _scales(path: Path, levels: int, part: str) -> list[Scale]:
    labels = list(_labels(path))
    scales = [labels[at : at + levels] for at in range(0, len(labels) - levels + 1, levels)]
    return [
        [(tuple(float(one) for one in label.meaning.split(",")), label) for label in scale]
        for scale in scales
        if split_of("".join(label.name + (label.description or "") for label in scale)) == part
    ]


def _fields(part: str):
    for row in _rows("records/fields.tsv"):
        values = _many(row["values"])
        own = tuple(value for value in values if split_of(value) == part)
        if part != TRAIN:
            # Keys and values of the part's own are few, so known ones stand beside them.
            yield Field(row["key"], row["kind"], own if len(own) >= 2 else values)
        elif split_of(row["key"]) == TRAIN:
            yield Field(row["key"], row["kind"], own)


def _many(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(" | ")) if cell else ()


def _tables(part: str) -> list[Table]:
    columns: dict[tuple[str, str, str], list[Column]] = defaultdict(list)
    for row in _rows("records/tables.tsv"):
        if split_of(row["table"]) == part:
            column = Column(row["key"], row["kind"], _many(row["values"]), _many(row["asks"]), _many(row["asks_row"]))
            columns[row["table"], row["name"], row["rows"]].append(column)
    return [Table(name, _many(rows), tuple(found)) for (_, name, rows), found in columns.items()]


def _key(row: dict[str, str]) -> Key:
    columns = ("values", "asks", "asks_not", "asks_value", "asks_given", "asks_missing")
    return Key(row["key"], row["kind"], *(_many(row.get(name, "")) for name in columns))


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text)
