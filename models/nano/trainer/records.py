"""Records, nested or flat, and lists of keys and values, and the questions about them."""

import re
from dataclasses import replace
from random import Random

from bank import Bank
from cells import Link
from fields import Fields
from formats import MISSING, UNKNOWN, Wording, as_csv, as_json, as_lines, as_markdown, as_sentences, as_settings, as_yaml, entries, nest, readable, wording
from kinds import Kinds
from lists import Lists
from prompt import YES_NO, Question
from tables import Tables

#: The key that a question is about, and the question.
Made = tuple[str, Question | None] | None

#: The share of states with lists, and of those with one of two opposite states, among records that are of no kind of the bank.
LISTS_SHARE, STATES_SHARE = 0.2, 0.08
#: How often a number is 0.
ZERO_SHARE = 0.08
PARENTS = "order user device record data customer account item ticket booking details info".split()
#: The share of records whose kind is in the bank; the others have random keys. How often lists are lines.
KINDS_SHARE, LINES_SHARE = 0.4, 0.6
#: The share of tables among the others; those of lists of pairs and of nested records among what is left.
TABLES_SHARE, PAIRS_SHARE, NESTED_SHARE = 0.2, 0.275, 0.1625
STATUS_KEYS = "status state order_status payment_status current_status shipmentStatus ticket_status stage".split()


class Records(Fields):
    def __init__(self, bank: Bank, random: Random):
        super().__init__(bank, random)
        self.tables = Tables(bank, random)
        self.kinds = Kinds(bank, random)
        self.lists = Lists(bank, random)
        self.kinds_share, self.tables_share = KINDS_SHARE, TABLES_SHARE

    # A state

    def draw(self) -> tuple[str, list[Question], list[Link]]:
        """A state, every question that can be asked of it, in random order, and the parts of a table that belong together."""
        random = self.random
        if self.bank.kinds and random.random() < self.kinds_share:
            record, listed, questions = self.kinds.draw()
            return traced(self.as_kind(record, listed), record, list(record), questions)
        form = random.random()
        if form < LISTS_SHARE and self.lists.lists:
            return self.lists.draw()
        if random.random() < STATES_SHARE and self.bank.antonyms:
            return self.of_states()
        form = random.random()
        if form < self.tables_share:
            return self.tables.draw()
        form = (form - self.tables_share) / (1 - self.tables_share)
        if form < PAIRS_SHARE:
            record = self.list_of_pairs()
            keys = list(record)
            text = as_lines(record, wording(random, 0.2), random)
            makers = [self.lookup] * 3 + [self.equals, self.missing]
        else:
            record = self.record()
            if form < PAIRS_SHARE + NESTED_SHARE:
                # Two parents may have the same key, so that nested keys are not looked for.
                record, keys = self.grouped(record), []
                text = self.as_nested(record)
            else:
                keys, text = list(record), self.as_text(record)
            makers = [self.value, self.value, self.flag, self.flag, self.missing, self.equals, self.status, self.status_is]
            if keys and any(isinstance(value, (int, float)) and not isinstance(value, bool) for value in record.values()):
                makers += [self.above]
        random.shuffle(makers)
        made = [one for one in (make(record) for make in makers * 2) if one is not None and one[1] is not None]
        return traced(text, record, keys, made)

    def record(self) -> dict:
        random = self.random
        record: dict = {}
        status = random.random() < 0.4 and self.statuses
        place = random.randrange(8)
        for n in range(random.randint(2, 9)):
            if status and n == place:
                field = random.choice(self.statuses)
                record[random.choice(STATUS_KEYS) if random.random() < 0.5 else field.key] = random.choice(field.values)
                continue
            kind = random.random()
            if kind < 0.5:
                self.add_text(record)
            elif kind < 0.68 and self.numbers:
                record[random.choice(self.numbers).key] = 0 if random.random() < ZERO_SHARE else self.number()
            elif self.flags:
                record[random.choice(self.flags).key] = random.random() < 0.5
        if not record:
            self.add_text(record)
        return record

    def add_text(self, record: dict) -> None:
        random = self.random
        if random.random() < 0.6 and self.text:
            field = random.choice(self.text)
            key, value = field.key, random.choice(field.values) if field.values else self.word()
        else:
            key, value = self.word(), self.word()
        if random.random() < 0.3:
            value = self.word()
        if random.random() < 0.1:
            value = None
        if key not in record and value not in record.values():
            record[key] = value

    def of_states(self) -> tuple[str, list[Question], list[Link]]:
        """A record of things that have one of two opposite states, such as a door, asked with the words for both."""
        random = self.random
        record, sides = {}, {}
        for keys, *both in random.sample(self.bank.antonyms, min(len(self.bank.antonyms), random.randint(1, 3))):
            key = random.choice(keys)
            own, other = random.sample(both, 2)
            record[key], sides[key] = random.choice(own), (own, other)
        if random.random() < 0.5:
            self.add_text(record)
        text = self.as_text(record)
        made = []
        for key, (own, other) in [*sides.items()] * 2:
            truth = random.random() < 0.5
            question = self.yes_no("equals", "state", truth, key=self.spoken(key), value=random.choice(own if truth else other))
            if question is not None and (len(sides) == 1 or readable(key) in question.text.lower() or key in question.text):
                made.append((key, question))
        random.shuffle(made)
        return traced(text, record, list(record), made)

    def list_of_pairs(self) -> dict:
        pairs: dict = {}
        for _ in range(self.random.randint(2, 9)):
            key = self.word() if self.random.random() < 0.6 or not self.text else self.random.choice(self.text).key
            value = self.word() if self.random.random() < 0.7 or not self.values else self.random.choice(self.values)
            if key not in pairs and value not in pairs.values() and value not in pairs and key not in pairs.values():
                pairs[key] = value
        if self.random.random() < 0.2 and pairs:
            pairs[self.random.choice(list(pairs))] = None
        return pairs

    def grouped(self, record: dict) -> dict:
        """The record with a parent before each key, `order.status`. Two parents may have the same key with different values."""
        random = self.random
        parents = random.sample(PARENTS, random.choice((2, 2, 3)))
        grouped = {f"{random.choice(parents)}.{key}": value for key, value in record.items()}
        texts = [key for key, value in grouped.items() if isinstance(value, str)]
        if texts and random.random() < 0.5:
            parent, _, key = random.choice(texts).partition(".")
            other, value = f"{random.choice([one for one in parents if one != parent])}.{key}", self.word()
            if other not in grouped and value not in grouped.values():
                grouped[other] = value
        return grouped

    def as_nested(self, record: dict) -> str:
        random = self.random
        words = wording(random, 0.75)
        nested = nest(record)
        return as_yaml(nested, words) if random.random() < 0.35 else as_json(nested, words, random.choice((2, 2, None)))

    def as_text(self, record: dict) -> str:
        random = self.random
        form = random.random()
        if form < 0.55:
            return self.as_object(record, wording(random, 0.75))
        words = wording(random, 0.25)
        if form < 0.72:
            return as_lines(record, words, random)
        if form < 0.82:
            return as_sentences(record, random)
        if form < 0.88:
            return as_settings(record, words)
        if form < 0.93:
            return as_yaml({random.choice(PARENTS): record} if random.random() < 0.4 else record, words)
        return self.as_table(record, words)

    def as_kind(self, record: dict, listed: bool) -> str:
        """An empty value is written as empty, never as unknown: an unknown tenant does not make a flat vacant."""
        random = self.random
        words = wording(random, 0.2)
        if words.missing in UNKNOWN:
            words = replace(words, missing="")
        if listed and random.random() < LINES_SHARE:
            return as_lines(record, words, random)
        if None in record.values():
            return self.as_object(record, words) if random.random() < 0.7 else as_lines(record, words, random)
        return self.as_text(record)

    def as_object(self, record: dict, words: Wording) -> str:
        random = self.random
        whole: dict = record
        form = random.random()
        if form < 0.2:
            whole = {"id": random.randint(1, 99999), random.choice(PARENTS): record}
        elif form < 0.4:
            whole = {"id": random.randint(1, 99999), **record}
        elif form < 0.5:
            whole = {**record, "tags": [self.word() for _ in range(random.randint(1, 3))]}
        return as_json(whole, words, None if random.random() < 0.2 else 2)

    def as_table(self, record: dict, words: Wording) -> str:
        """One row with the keys above it, or a row for each key."""
        form = self.random.choice(("csv", "markdown", "fields"))
        if form == "csv":
            return as_csv([record], words, self.random.choice((",", ";")))
        return as_markdown([record] if form == "markdown" else [{"field": key, "value": value} for key, value in record.items()], words)

    # Questions

    def value(self, record: dict) -> Made:
        texts = {key: value for key, value in record.items() if isinstance(value, str)}
        if not texts:
            return None
        key = self.random.choice(list(texts))
        return key, self.choose("field_value", self.asked("field_value", "choice", key=self.spoken(key)), texts[key], list(texts.values()))

    def lookup(self, record: dict) -> Made:
        texts = {key: value for key, value in record.items() if value is not None}
        if not texts:
            return None
        key = self.random.choice(list(texts))
        return key, self.choose("lookup", self.asked("lookup", "choice", key=self.spoken(key)), texts[key], list(texts.values()))

    def status(self, record: dict) -> Made:
        key = self.status_key(record)
        if key is None:
            return None
        other = [value for field in self.random.sample(self.statuses, min(2, len(self.statuses))) for value in field.values]
        return key, self.choose("status", self.asked("status", "choice"), record[key], other)

    def status_is(self, record: dict) -> Made:
        key = self.status_key(record)
        if key is None or not self.statuses:
            return None
        truth = self.random.random() < 0.5
        other = self.random.choice(self.random.choice(self.statuses).values)
        value = record[key] if truth else other
        return key, self.yes_no("status", "status_is", value == record[key], value=value if self.random.random() < 0.5 else value.replace("_", " "))

    def status_key(self, record: dict) -> str | None:
        keys = [key for key, value in record.items() if isinstance(value, str) and re.search("stat(us|e)$|stage$", key, re.I)]
        return keys[0] if len(keys) == 1 else None

    def flag(self, record: dict) -> Made:
        flags = [key for key, value in record.items() if isinstance(value, bool)]
        if not flags:
            return None
        key = self.random.choice(flags)
        spoken = self.spoken(key)
        return key, self.yes_no("flag", "flag", record[key], key=re.sub(r"\b(is|has)[ _]", "", spoken) if self.random.random() < 0.5 else spoken)

    def above(self, record: dict) -> Made:
        """Whether a number is larger, or smaller, than another one. Flat, because the model did not learn to compare numbers."""
        random = self.random
        numbers = {key: value for key, value in record.items() if isinstance(value, (int, float)) and not isinstance(value, bool)}
        key = random.choice(list(numbers))
        value = numbers[key]
        if random.random() < 0.5:
            other = value + random.choice((-1, 1)) * random.choice((1, 1, 2, 5, 10, 50))
        else:
            other = random.choice((random.randint(0, 9), random.randint(0, 99), random.randint(0, 999)))
        other = abs(round(other, 2))
        if other == value:
            return None
        below = random.random() < 0.5
        text = self.asked("above_not" if below else "above", "yes_no", key=self.spoken(key), value=str(other))
        if text is None or len(numbers) > 1 and not (key in text or readable(key) in text.lower()):
            return None
        return key, Question("unknown", "noul", text, YES_NO, 0, flat=True)

    def missing(self, record: dict) -> Made:
        """Whether a key has no value: it is empty, or not in the record at all."""
        if self.random.random() < 0.5:
            empty = [key for key, value in record.items() if value is None]
            absent = self.random.choice(self.text).key if self.text else self.word()
            key = self.random.choice(empty) if empty and self.random.random() < 0.8 else absent
            if absent.lower() in {one.rpartition(".")[2].lower() for one in record}:
                return None
        else:
            # Flags that are off and texts such as "none" might be called missing as well.
            given = [key for key, value in record.items() if not isinstance(value, bool) and value is not None and value not in MISSING]
            if not given:
                return None
            key = self.random.choice(given)
        return key, self.yes_no("missing", "missing", record.get(key) is None, key=self.spoken(key))

    def equals(self, record: dict) -> Made:
        texts = {key: value for key, value in record.items() if isinstance(value, str)}
        if not texts:
            return None
        key = self.random.choice(list(texts))
        value = texts[key]
        if self.random.random() < 0.5:
            value = self.random.choice(list(texts.values())) if self.random.random() < 0.5 else self.random.choice(self.values or [self.word()])
        return key, self.yes_no("equals", "equals", value == texts[key], key=self.spoken(key), value=value)


def traced(text: str, record: dict, keys: list[str], made: list[tuple[str, Question]]) -> tuple[str, list[Question], list[Link]]:
    """A state as `draw` returns it: each question that can be answered with the entry of its key, if it is one of `keys`."""
    values = {str(value).lower() for value in record.values()}
    # A key that is also a value would be found in the wrong place.
    found = {} if any(readable(key) in values for key in keys) else entries(text, keys)
    return text, [question if question.flat else replace(question, entry=found.get(key)) for key, question in made], []
