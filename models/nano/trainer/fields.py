"""Words, values and questions that records and tables share."""

import re
from random import Random

from bank import TRAIN, Bank, split_of, words
from formats import readable
from messages import NEGATED
from prompt import Option, Question, yes_or_no
from rewording import rough

#: Forms of questions for what is missing.
LACKING = ("missing", "cell_missing")
SYLLABLES = [start + vowel for start in "b c d f g h k l m n p r s t v w z br st tr ch sh".split() for vowel in "a e i o u ai or en".split()]


class Fields:
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

    def word(self) -> str:
        if self.random.random() < 0.35:
            return "".join(self.random.choice(SYLLABLES) for _ in range(self.random.choice((2, 2, 3))))
        word = self.random.choice(self.words)
        change = self.random.random()
        return word.capitalize() if change < 0.3 else word.upper() if change < 0.35 else word

    def number(self) -> int | float:
        random = self.random
        return random.choice((random.randint(0, 9), random.randint(0, 999), round(random.random() * 100, 2)))

    def spoken(self, key: str) -> str:
        """The key as a question writes it: as it is, or as words; that of a nested value with its parent."""
        parent, _, inner = key.rpartition(".")
        if self.random.random() < 0.45:
            return key
        name = readable(inner)
        if not parent:
            return name
        return self.random.choice(("{0} {1}", "{1} of the {0}", "{1} of {0}", "{0}'s {1}", "{1} in {0}")).format(parent, name)

    def asked(self, form: str, type: str, **places: str) -> str | None:
        """One way to ask, with its places filled in; None if the part has none of this form."""
        text = self.bank.ask(self.random, form, type)
        if text is None:
            return None
        if self.bank.part == TRAIN:
            text = rough(text, self.random)
        for name, value in places.items():
            text = text.replace("{" + name + "}", value)
        return text

    def yes_no(self, family: str, form: str, truth: bool, **places: str) -> Question | None:
        negated = self.random.random() < NEGATED[self.bank.part]
        text = self.asked(form + "_not" if negated else form, "yes_no", **places)
        # A question for what is missing asks for the opposite of what is given.
        lacking = form in LACKING
        return None if text is None else yes_or_no(family, text, truth != lacking, negated != lacking)

    def choose(self, family: str, text: str | None, right: str, near: list[str], share: float = 0.6) -> Question | None:
        """A choice between the right value and others: near ones, of the record, and values from elsewhere."""
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
            name = near.pop() if near and random.random() < share else self.elsewhere(right)
            if name and name.lower() not in (one.lower() for one in names):
                names.append(name)
        if len(names) < 2:
            return None
        random.shuffle(names)
        return Question(family, "choice", text, tuple(Option(name, None) for name in names), names.index(right))

    def elsewhere(self, right: str) -> str:
        """A value that looks like the right one and may be in no record."""
        if re.fullmatch(r"[\d.]+", right):
            return str(self.number())
        return self.random.choice(self.values) if self.values and self.random.random() < 0.4 else self.word()
