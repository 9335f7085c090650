"""Kinds of records, such as a hotel booking or the opening hours of a pool, and the questions people ask about them."""

from dataclasses import replace
from random import Random

from bank import DEVELOPMENT, HELD, SYNONYMS, TRAIN, Bank, Key
from fields import Fields
from formats import readable
from prompt import Option, Question, yes_or_no
from rewording import STYLES, Rewording, rough

#: Kinds that are lists of entries of the same sort, whose keys are looked up.
LIST = "list: "
EMPTY_SHARE = 0.12
#: How often a number is 0.
ZERO_SHARE = 0.04
#: The share of kinds in training that have only flags, see opposites.tsv.
FLAGS_SHARE = 0.15
#: The share of questions about flags that ask for the opposite. They are hard, so they are trained more.
NEGATED_SHARE = {TRAIN: 0.4, DEVELOPMENT: 0.25, HELD: 0.25}
#: The shares of values, and of keys that are not in the record, that are asked for as missing or given.
GIVEN_SHARE, ABSENT_SHARE = 0.2, 0.3
#: How often a wrong option is a value of the same key or record, while there are any left.
NEAR_SHARE = 0.9
#: In training: how often words of a question are replaced by synonyms, and how often the keys of a record are renamed.
REWORDED_SHARE, RENAMED_SHARE = 0.3, 0.5
#: How often a flag is asked for as a choice between labels.
LISTED_SHARE = 0.12
LABELS = (("yes", "no"), ("yes", "no"), ("Yes", "No"), ("YES", "NO"), ("true", "false"), ("y", "n"), ("it is", "it is not"), ("true", "not true"))
#: Stands for a value in questions of the bank.
VALUE = "{value}"


class Kinds(Fields):
    def __init__(self, bank: Bank, random: Random):
        super().__init__(bank, random)
        self.kinds, self.flagged = sorted(bank.kinds.items()), sorted(bank.opposites.items())
        self.rewording = Rewording(bank, random, SYNONYMS)

    def draw(self) -> tuple[dict, bool, list[tuple[str, Question]]]:
        """A record, whether it is a list, and questions about it in random order, each with the key it is about."""
        random = self.random
        name, keys = random.choice(self.flagged if self.flagged and random.random() < FLAGS_SHARE else self.kinds)
        listed = name.startswith(LIST)
        if self.bank.part == TRAIN and not listed and random.random() < RENAMED_SHARE:
            keys = self.renamed(keys)
        shown = random.sample(keys, random.randint(min(3, len(keys)), min(10, len(keys))))
        if random.random() < 0.5:
            shown.sort(key=keys.index)
        record = {key.key: self.drawn(key) for key in shown}
        questions = []
        for key in random.sample(keys, len(keys)):
            made = self.question(key, record, listed)
            if made is not None:
                questions.append((key.key, made))
        return record, listed, questions

    def renamed(self, keys: list[Key]) -> list[Key]:
        """The keys in another style, some of their words replaced by synonyms; unchanged if two would become equal."""
        style = self.random.choice(STYLES)
        names = [style(self.rewording.substitute(readable(key.key)).lower().split()) for key in keys]
        return [replace(key, key=name) for key, name in zip(keys, names)] if len(set(names)) == len(keys) else keys

    def drawn(self, key: Key):
        if key.kind == "flag":
            return self.random.random() < 0.5
        if key.asks_given and self.random.random() < EMPTY_SHARE:
            return None
        value = self.random.choice(key.values)
        if key.kind == "number":
            return 0 if self.random.random() < ZERO_SHARE else number(value)
        return value

    def question(self, key: Key, record: dict, listed: bool) -> Question | None:
        random = self.random
        value = record.get(key.key)
        if isinstance(value, bool):
            negated = bool(key.asks_not) and random.random() < NEGATED_SHARE[self.bank.part]
            if random.random() < LISTED_SHARE:
                return self.listed("field_value", key.asks_not if negated else key.asks, value != negated)
            return self.whether("flag", key.asks_not if negated else key.asks, value, negated)
        if key.key not in record and random.random() > ABSENT_SHARE:
            return None
        if value is None or (key.asks_given and random.random() < GIVEN_SHARE):
            # That a key is not in the record at all does not answer "Is the flat vacant?".
            lacking = key.key in record and random.random() < 0.5
            return self.whether("missing", key.asks_missing if lacking else key.asks_given, value is not None, lacking)
        value = str(value)
        others = [one for one in key.values if one != value]
        status = key.kind == "status"
        if key.asks_value and random.random() < 0.35:
            truth = random.random() < 0.5 or not others
            asked = value if truth else random.choice(others)
            return self.whether("status" if status else "equals", key.asks_value, truth, False, asked)
        beside = [str(one) for name, one in record.items() if name != key.key and one is not None and not isinstance(one, bool)]
        near = [*beside, *others[:1]] if listed else [*others, *beside]
        family = "lookup" if listed else "status" if status else "field_value"
        return self.choose(family, self.ask(key.asks), value, near, NEAR_SHARE)

    def listed(self, family: str, asks: tuple[str, ...], truth: bool) -> Question | None:
        """A yes-or-no question as a choice between labels."""
        if not asks:
            return None
        names = self.random.choice(LABELS)
        options = [Option(name, None, ("answer", which)) for name, which in zip(names, ("yes", "no"))]
        right = options[0 if truth else 1]
        self.random.shuffle(options)
        return Question(family, "choice", self.ask(asks).replace(VALUE, ""), tuple(options), options.index(right))

    def whether(self, family: str, asks: tuple[str, ...], truth: bool, negated: bool, value: str = "") -> Question | None:
        return yes_or_no(family, self.ask(asks).replace(VALUE, value), truth, negated) if asks else None

    def ask(self, asks: tuple[str, ...]) -> str:
        """One of the ways to ask, in training sometimes with other words."""
        text = self.random.choice(asks)
        if self.bank.part == TRAIN and self.random.random() < REWORDED_SHARE:
            text = VALUE.join(map(self.rewording.substitute, text.split(VALUE)))
        return rough(text, self.random) if self.bank.part == TRAIN else text


def number(text: str) -> int | float | str:
    """The number as JSON has it; the text if JSON would write it differently, such as 007 or 1,200."""
    for kind in (int, float):
        try:
            if str(kind(text)) == text:
                return kind(text)
        except ValueError:
            pass
    return text
