"""Questions, and the prompt that the model reads. The template of the GGUF renders the same tokens."""

from dataclasses import dataclass, replace
from functools import lru_cache

from tokenizer import LETTERS, Tokenizer, pieces

#: Jinja, for the file's metadata. The state comes first, because all questions of a request share it; the options come
#: before the question, so that the last token knows what is asked; an option's name comes after its description and is
#: followed by its letter. A yes-or-no question without descriptions lists no options: A is yes, B is no.
TEMPLATE = (
    "<s>{{ state }}<|end|>"
    '{% if type != "noul" or options[0].description is not none or options[1].description is not none %}'
    "{% for option in options %}"
    "{% if option.description is not none %}{{ option.description }}{% endif %}"
    "<|name|>{% if type == \"noul\" %}{{ \"yes\" if loop.first else \"no\" }}{% else %}{{ option.key }}{% endif %}"
    "<|{{ option.label }}|>"
    "{% endfor %}"
    "{% endif %}"
    "<|question|>{{ id if instructions is none else instructions }}<|answer|>"
)


@dataclass(frozen=True)
class Option:
    name: str
    description: str | None
    #: What the option stands for: a class such as ("topic", "billing"), or its own first word if None.
    concept: tuple[str, str] | None = None


@dataclass(frozen=True)
class Question:
    family: str
    type: str  # noul, choice or score
    text: str
    options: tuple[Option, ...]  # of noul: yes, no
    answer: int
    #: The characters of the state, from and to, that the answer is read from, as far as training knows them.
    entry: tuple[int, int] | None = None
    #: Of a yes-or-no question: whether it asks for the opposite, "Is it still open?" about the flag `closed`.
    negated: bool | None = None
    #: Nobody can tell: all options should be equally probable, and `answer` means nothing.
    flat: bool = False

    def located(self, entry: tuple[int, int] | None) -> "Question":
        return replace(self, entry=entry)


YES_NO = (Option("yes", None, ("answer", "yes")), Option("no", None, ("answer", "no")))


def yes_or_no(family: str, text: str, truth: bool, negated: bool) -> Question:
    """A yes-or-no question about something that is true or false, or about its opposite."""
    return Question(family, "noul", text, YES_NO, 0 if truth != negated else 1, negated=negated)


@dataclass(frozen=True)
class Leaf:
    """The tokens after the state, the places of the options' letters among them, and the first word of each option."""

    tokens: list[int]
    letters: list[int]
    firsts: list[int]


class Prompts:
    def __init__(self, tokenizer: Tokenizer):
        self.tokenizer = tokenizer
        ids = tokenizer.ids
        self.start, self.end, self.name = ids["<s>"], ids["<|end|>"], ids["<|name|>"]
        self.question, self.answer = ids["<|question|>"], ids["<|answer|>"]
        self.marks = [ids[f"<|{letter}|>"] for letter in LETTERS]
        self.letters = [ids[letter] for letter in LETTERS]
        self.encode = lru_cache(maxsize=100_000)(tokenizer.encode)
        self.ends = lru_cache(maxsize=10)(self._ends)

    def state(self, text: str) -> list[int]:
        return [self.start, *self.tokenizer.encode(text)]

    def _ends(self, text: str) -> list[tuple[int, int]]:
        """The characters and the tokens up to the end of each piece of a text."""
        found, characters, tokens = [], 0, 0
        for piece in pieces(text):
            characters += len(piece)
            tokens += len(self.tokenizer.encode_piece(piece))
            found.append((characters, tokens))
        return found

    def leaf(self, question: Question) -> Leaf:
        tokens, letters, firsts = [self.end], [], []
        if question.type != "noul" or question.options != YES_NO:
            for place, option in enumerate(question.options):
                if option.description is not None:
                    tokens += self.encode(option.description)
                name = self.encode(option.name)
                tokens += [self.name, *name]
                letters.append(len(tokens))
                firsts.append(name[0])
                tokens.append(self.marks[place])
        tokens += [self.question, *self.encode(question.text), self.answer]
        return Leaf(tokens, letters, firsts)
