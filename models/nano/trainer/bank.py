"""The hand-written texts of ../bank, divided into parts for training, development and the final evaluation."""

import csv
import hashlib
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random

BANK = Path(__file__).resolve().parent.parent / "bank"
FOLDERS = (BANK, *(BANK / name for name in ("second", "third", "fourth", "fifth", "sixth")))
#: Kinds of sets in synonyms.tsv whose members replace each other. Alternatives, such as weekdays, change what a message says,
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
    """A key of a kind of record, see records.tsv: its values and the ways to ask about it."""

    key: str
    kind: str  # as of Field
    values: tuple[str, ...]
    asks: tuple[str, ...]  # for the value; of flags, whether it is on
    asks_not: tuple[str, ...]  # whether the flag is off
    asks_value: tuple[str, ...]  # whether it is {value}
    asks_given: tuple[str, ...]  # whether there is a value
    asks_missing: tuple[str, ...]


#: A scale of urgency: for each level, the urgencies that it stands for and its label.
Scale = list[tuple[tuple[float, ...], Label]]


class Bank:
    """One part of the bank. Synonyms, opposites of flags, openers and added sentences are used in training only."""

    def __init__(self, part: str):
        self.part = part
        self.messages = [m for folder in FOLDERS for m in _messages(folder / "messages") if split_of(m.text) == part]
        #: Messages with alternatives in braces and slots, see phrases.py.
        self.phrases = [m for folder in FOLDERS for m in _messages(folder / "phrases") if split_of(m.text) == part]
        self.questions: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.labels: dict[str, list[Label]] = defaultdict(list)
        self.scales: dict[int, list[Scale]] = defaultdict(list)
        for folder in FOLDERS:
            self.read(folder)
        if part == DEVELOPMENT:
            self.complete(Bank(TRAIN))
        self.fields = [f for f in _fields(part)]
        #: The keys of each kind of record.
        self.kinds: dict[str, list[Key]] = defaultdict(list)
        #: Records that have flags only, with many ways to ask for the opposite.
        self.opposites: dict[str, list[Key]] = defaultdict(list)
        for folder in FOLDERS:
            for row in _rows(folder / "records.tsv"):
                if split_of(row["record"]) == part:
                    self.kinds[row["record"]].append(_key(row))
            for row in _rows(folder / "opposites.tsv"):
                # A kind of another part can have the same name.
                if part == split_of(row["record"]) == TRAIN:
                    self.opposites[row["record"]].append(_key(row | {"kind": "flag"}))
        self.synonyms: dict[str, list[list[str]]] = defaultdict(list)
        self.sentences: dict[str, list[str]] = defaultdict(list)
        for folder in FOLDERS:
            for row in _rows(folder / "synonyms.tsv"):
                members = row["members"].split(" | ")
                if row["kind"] in REPLACEMENTS:
                    self.synonyms[row["kind"]].append(members)
                elif split_of(row["members"]) == part:
                    self.sentences[row["kind"]].append(row["members"])
        for row in _rows(BANK / "phrases_tails.tsv"):
            if split_of(row["text"]) == part:
                self.sentences[row["kind"]].append(row["text"])

    def read(self, folder: Path) -> None:
        """Adds the questions and labels of a folder."""
        for path in sorted((folder / "questions").glob("*.tsv")):
            for row in _rows(path):
                if split_of(row["form"] + row["text"]) == self.part:
                    self.questions[row["form"], row["type"]].append(row["text"])
        for path in sorted((folder / "labels").glob("*.tsv")):
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


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
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
    for row in _rows(BANK / "fields.tsv"):
        values = tuple(row["values"].split(" | ")) if row["values"] else ()
        own = tuple(value for value in values if split_of(value) == part)
        if part != TRAIN:
            # Keys and values of the part's own are few, so known ones stand beside them.
            yield Field(row["key"], row["kind"], own if len(own) >= 2 else values)
        elif split_of(row["key"]) == TRAIN:
            yield Field(row["key"], row["kind"], own)


def _key(row: dict[str, str]) -> Key:
    columns = ("values", "asks", "asks_not", "asks_value", "asks_given", "asks_missing")
    return Key(row["key"], row["kind"], *(tuple(row[name].split(" | ")) if row.get(name) else () for name in columns))


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text)
