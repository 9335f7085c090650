"""Records with lists, such as the tags of an order, and the questions about what is in them."""

from random import Random

from bank import TRAIN, Bank
from cells import Span, around, find_whole
from fields import Fields
from formats import as_json, as_yaml, wording
from messages import NEGATED
from prompt import Option, Question, yes_or_no
from rewording import rough

#: The lists of a state, its other fields, and the entries of a list.
LISTS_MAX, FIELDS_MAX, ENTRIES_MAX = 2, 4, 6
EMPTY_SHARE = 0.06
#: How often a list is inside another object, and how often it is asked about in the words of its key.
NESTED_SHARE, OWN_WORDS = 0.3, 0.6
NAMES = "item record user order profile result entry details".split()


def line(key: str, value: str | list[str], between: str, within: str) -> str:
    """`tags: new, sale`, or the entries below the key."""
    if isinstance(value, str):
        return f"{key}{between}{value}"
    if within.startswith("\n"):
        return f"{key}:" + "".join(within + entry for entry in value)
    return f"{key}{between}{within.join(value)}".rstrip()


class Lists(Fields):
    def __init__(self, bank: Bank, random: Random):
        super().__init__(bank, random)
        self.lists = bank.lists

    def draw(self) -> tuple[str, list[Question], list]:
        """A state, questions about its lists in random order, and no links."""
        random = self.random
        chosen = random.sample(self.lists, min(len(self.lists), random.randint(1, LISTS_MAX)))
        lists = {one.key: self.entries(one.values) for one in chosen}
        others = {field.key: random.choice(field.values) for field in random.sample(self.text, random.randint(0, FIELDS_MAX)) if field.values}
        record = {**others, **lists}
        order = random.sample(list(record), len(record))
        text = self.written({key: record[key] for key in order})
        values = list(others.values())
        questions = []
        for key in chosen * 3:
            made = self.question(key, lists, values)
            if made is not None:
                questions.append(self.traced(made, text, key.key, lists[key.key]))
        random.shuffle(questions)
        return text, questions, []

    def entries(self, values: tuple[str, ...]) -> list[str]:
        if self.random.random() < EMPTY_SHARE:
            return []
        return self.random.sample(values, self.random.randint(1, min(ENTRIES_MAX, len(values) - 1)))

    def written(self, record: dict) -> str:
        random = self.random
        form = random.random()
        if form < 0.6:
            whole = {"id": random.randint(1, 9999), random.choice(NAMES): record} if random.random() < NESTED_SHARE else record
            return as_json(whole, wording(random, 1), 2 if random.random() < 0.7 else None)
        if form < 0.7:
            return as_yaml({key: value if isinstance(value, str) else ", ".join(value) for key, value in record.items()}, wording(random, 1))
        between, within = random.choice((": ", " = ", " - ")), random.choice((", ", "; ", " / ", "\n- "))
        return random.choice(("\n", "\n", ". ")).join(line(key, value, between, within) for key, value in record.items())

    def question(self, one, lists: dict[str, list[str]], values: list[str]) -> tuple[Question, str] | None:
        """A question about a list, and the entry that it is about."""
        random = self.random
        inside = lists[one.key]
        outside = [value for value in one.values if value not in inside]
        kind = random.random()
        if kind < 0.08 or not outside:
            made = self.yes_no("member", "any", bool(inside), key=self.spoken(one.key))
            return None if made is None else (made, "")
        if kind < 0.25 and inside:
            text = self.asked("member", "choice", key=self.spoken(one.key))
            right = random.choice(inside)
            elsewhere = [value for other, entries in lists.items() if other != one.key for value in entries]
            near = [value for value in [*outside, *elsewhere, *values] if value not in inside]
            wrong = random.sample(sorted(set(near)), min(len(set(near)), random.choice((1, 2, 2, 3, 4))))
            if text is None or not wrong:
                return None
            names = random.sample([right, *wrong], len(wrong) + 1)
            return Question("member", "choice", text, tuple(Option(name, None) for name in names), names.index(right)), right
        truth = bool(inside) and random.random() < 0.5
        value = random.choice(inside if truth else outside)
        if random.random() < OWN_WORDS:
            negated = bool(one.asks_not) and random.random() < NEGATED[self.bank.part]
            text = random.choice(one.asks_not if negated else one.asks)
            if self.bank.part == TRAIN:
                text = rough(text, random)
            return yes_or_no("member", text.replace("{value}", value), truth, negated), value
        elsewhere = [value for other, entries in lists.items() if other != one.key for value in entries if value not in inside]
        spoken = self.spoken(one.key)
        if not truth and elsewhere and random.random() < 0.4:
            value = random.choice(elsewhere)
        made = self.yes_no("member", "member", truth, key=spoken, value=value)
        # Without the key, what is in another list is also listed.
        if made is None or value in elsewhere and spoken not in made.text:
            return None
        return made, value

    def traced(self, made: tuple[Question, str], text: str, key: str, entries: list[str]) -> Question:
        """The question with the place of the entry that it is about, or of the whole list if that is not in it."""
        question, value = made
        start = find_whole(text, key)
        if start is None:
            return question
        spans: list[Span] = [start]
        for entry in entries:
            found = find_whole(text, entry, spans[-1][1])
            if found is None:
                return question
            spans.append(found)
        span = spans[1 + entries.index(value)] if value in entries else around(*spans)
        return question.located(span)
