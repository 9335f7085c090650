"""JSON records and lists of keys and values, and the questions about them."""

import json
import re
from random import Random

from bank import Bank, split_of, words
from messages import NEGATED
from prompt import YES_NO, Option, Question

SYLLABLES = [start + vowel for start in "b c d f g h k l m n p r s t v w z br st tr ch sh".split() for vowel in "a e i o u ai or en".split()]
PARENTS = "order user device record data customer account item ticket booking details info".split()
STATUS_KEYS = "status state order_status payment_status current_status shipmentStatus ticket_status stage".split()


class Records:
    def __init__(self, bank: Bank, random: Random):
        self.bank, self.random = bank, random
        fields = bank.fields
        self.text = [field for field in fields if field.kind == "text"]
        self.flags = [field for field in fields if field.kind == "flag"]
        self.numbers = [field for field in fields if field.kind == "number"]
        self.statuses = [field for field in fields if field.kind == "status"]
        seen = {word.lower() for message in bank.messages for word in words(message.text) if 2 < len(word) < 12}
        self.words = sorted(word for word in seen if split_of(word) == bank.part)
        self.values = sorted({value for field in [*self.text, *self.statuses] for value in field.values})

    # A state

    def draw(self) -> tuple[str, list[Question]]:
        """A state and every question that can be asked of it, in random order."""
        random = self.random
        if random.random() < 0.3:
            record = self.list_of_pairs()
            text = self.as_lines(record)
            makers = [self.lookup] * 3 + [self.equals, self.missing]
        else:
            record = self.record()
            text = self.as_text(record)
            makers = [self.value, self.value, self.flag, self.flag, self.missing, self.equals, self.status, self.status_is]
        random.shuffle(makers)
        questions = (make(record) for make in makers * 2)
        return text, [question for question in questions if question is not None]

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
                record[random.choice(self.numbers).key] = random.choice((random.randint(0, 9), random.randint(0, 999), round(random.random() * 100, 2)))
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

    def word(self) -> str:
        if self.random.random() < 0.35:
            return "".join(self.random.choice(SYLLABLES) for _ in range(self.random.choice((2, 2, 3))))
        word = self.random.choice(self.words)
        change = self.random.random()
        return word.capitalize() if change < 0.3 else word.upper() if change < 0.35 else word

    def as_text(self, record: dict) -> str:
        random = self.random
        form = random.random()
        if form > 0.85:
            return self.as_lines(record)
        whole: dict = record
        if form < 0.15:
            whole = {"id": random.randint(1, 99999), random.choice(PARENTS): record}
        elif form < 0.3:
            whole = {"id": random.randint(1, 99999), **record}
        elif form < 0.4:
            whole = {**record, "tags": [self.word() for _ in range(random.randint(1, 3))]}
        return json.dumps(whole, ensure_ascii=False) if 0.8 < form else json.dumps(whole, indent=2, ensure_ascii=False)

    def as_lines(self, record: dict) -> str:
        between = self.random.choice((": ", ": ", " = ", " is ", " - "))
        missing = self.random.choice(("", "null", "none", "n/a", "-"))
        start = self.random.choice(("", "", "- ", "* "))
        lines = [start + key + between + (missing if value is None else _written(value)) for key, value in record.items()]
        return self.random.choice(("\n", "\n", ", ", "; ")).join(line.rstrip() for line in lines)

    # Questions

    def ask(self, form: str, type: str, **places: str) -> str | None:
        texts = self.bank.questions.get((form, type))
        if not texts:
            return None
        text = self.random.choice(texts)
        for name, value in places.items():
            text = text.replace("{" + name + "}", value)
        return text

    def spoken(self, key: str) -> str:
        """The key as a question writes it: as it is, or as words."""
        if self.random.random() < 0.45:
            return key
        return re.sub(r"([a-z])([A-Z])", r"\1 \2", key).replace("_", " ").lower()

    def yes_no(self, family: str, form: str, truth: bool, **places: str) -> Question | None:
        negated = self.random.random() < NEGATED[self.bank.part]
        text = self.ask(form + "_not" if negated else form, "yes_no", **places)
        return None if text is None else Question(family, "noul", text, YES_NO, 0 if truth != negated else 1)

    def choose(self, family: str, text: str | None, right: str, near: list[str]) -> Question | None:
        """A choice between the right value, other values of the record and values from elsewhere."""
        random = self.random
        if text is None:
            return None
        names = [right]
        near = [one for one in near if one != right]
        random.shuffle(near)
        count = random.choice((2, 3, 3, 4, 4, 5, 6, 8))
        for _ in range(30):
            if len(names) == count:
                break
            name = near.pop() if near and random.random() < 0.6 else random.choice(self.values) if self.values and random.random() < 0.4 else self.word()
            if name.lower() not in (one.lower() for one in names):
                names.append(name)
        random.shuffle(names)
        return Question(family, "choice", text, tuple(Option(name, None) for name in names), names.index(right))

    def value(self, record: dict) -> Question | None:
        texts = {key: value for key, value in record.items() if isinstance(value, str)}
        if not texts:
            return None
        key = self.random.choice(list(texts))
        return self.choose("field_value", self.ask("field_value", "choice", key=self.spoken(key)), texts[key], list(texts.values()))

    def lookup(self, record: dict) -> Question | None:
        texts = {key: value for key, value in record.items() if value is not None}
        if not texts:
            return None
        key = self.random.choice(list(texts))
        return self.choose("lookup", self.ask("lookup", "choice", key=self.spoken(key)), texts[key], list(texts.values()))

    def status(self, record: dict) -> Question | None:
        key = self.status_key(record)
        if key is None:
            return None
        other = [value for field in self.random.sample(self.statuses, min(2, len(self.statuses))) for value in field.values]
        return self.choose("status", self.ask("status", "choice"), record[key], other)

    def status_is(self, record: dict) -> Question | None:
        key = self.status_key(record)
        if key is None or not self.statuses:
            return None
        truth = self.random.random() < 0.5
        other = self.random.choice(self.random.choice(self.statuses).values)
        value = record[key] if truth else other
        return self.yes_no("status", "status_is", value == record[key], value=value if self.random.random() < 0.5 else value.replace("_", " "))

    def status_key(self, record: dict) -> str | None:
        keys = [key for key, value in record.items() if isinstance(value, str) and re.search("stat(us|e)$|stage$", key, re.I)]
        return keys[0] if len(keys) == 1 else None

    def flag(self, record: dict) -> Question | None:
        flags = [key for key, value in record.items() if isinstance(value, bool)]
        if not flags:
            return None
        key = self.random.choice(flags)
        spoken = self.spoken(key)
        return self.yes_no("flag", "flag", record[key], key=re.sub(r"^(is|has)[ _]", "", spoken) if self.random.random() < 0.5 else spoken)

    def missing(self, record: dict) -> Question | None:
        missing = [key for key, value in record.items() if value is None]
        if not missing and self.random.random() < 0.6:
            return None
        key = self.random.choice(missing if missing and self.random.random() < 0.55 else list(record))
        return self.yes_no("missing", "missing", record[key] is None, key=self.spoken(key))

    def equals(self, record: dict) -> Question | None:
        texts = {key: value for key, value in record.items() if isinstance(value, str)}
        if not texts:
            return None
        key = self.random.choice(list(texts))
        value = texts[key]
        if self.random.random() < 0.5:
            value = self.random.choice(list(texts.values())) if self.random.random() < 0.5 else self.random.choice(self.values or [self.word()])
        return self.yes_no("equals", "equals", value == texts[key], key=self.spoken(key), value=value)


def _written(value) -> str:
    return value if isinstance(value, str) else json.dumps(value)
