"""The ways in which people write records and tables down."""

import csv
import io
import json
import re
from dataclasses import dataclass
from random import Random

TRUE_FALSE = ("true", "false")
#: Words for a flag that is on and for one that is off.
TRUTHS = (
    TRUE_FALSE, ("yes", "no"), ("Yes", "No"), ("Y", "N"), ("y", "n"), ("on", "off"), ("ON", "OFF"), ("TRUE", "FALSE"), ("True", "False"),
    ("enabled", "disabled"), ("1", "0"), ("✓", "✗"), ("[x]", "[ ]"), ("checked", "unchecked"), ("T", "F"),
)
UNKNOWN = ("?", "unknown", "not provided", "not given")
MISSING = ("null", "", "none", "None", "n/a", "N/A", "-", "--", *UNKNOWN, "(empty)")
#: A key that can be said of something: `refundable`, `isVerified`; and a thing that something is done to: `password_expired`.
ADJECTIVE = re.compile(r"\w+(ed|able|ile|ic|due)|paid|vip|vegan|active")
PARTICIPLE = re.compile(r"(.+) (\w+ed)")
#: In characters.
LONGEST_ENTRY = 100
SUBJECTS = ("The account", "The order", "The customer", "The item", "It", "This one")


@dataclass(frozen=True)
class Wording:
    """How a text writes flags and missing values, from its first line to its last."""

    yes: str
    no: str
    missing: str

    def written(self, value) -> str:
        if value is None:
            return self.missing
        if isinstance(value, bool):
            return self.yes if value else self.no
        return str(value)

    def json(self, value):
        """The value in JSON: null and booleans in the usual wording, strings and 0 or 1 otherwise."""
        if value is None:
            return None if self.missing == "null" else self.missing
        if isinstance(value, bool):
            if (self.yes, self.no) == TRUE_FALSE:
                return value
            return int(value) if self.yes == "1" else self.written(value)
        return value


def wording(random: Random, usual: float) -> Wording:
    """The usual wording is that of JSON."""
    yes, no = TRUE_FALSE if random.random() < usual else random.choice(TRUTHS)
    return Wording(yes, no, "null" if random.random() < usual else random.choice(MISSING))


def readable(key: str) -> str:
    """The key as words: `order.isVerified` is "order is verified"."""
    return re.sub(r"([a-z])([A-Z])", r"\1 \2", key).replace("_", " ").replace(".", " ").lower()


def nest(record: dict) -> dict:
    """The record with an object for each parent of keys such as `order.status`."""
    nested: dict = {}
    for key, value in record.items():
        parent, _, inner = key.rpartition(".")
        if parent:
            nested.setdefault(parent, {})[inner] = value
        else:
            nested[key] = value
    return nested


def as_json(value, words: Wording, indent: int | None) -> str:
    return json.dumps(_json(value, words), ensure_ascii=False, indent=indent)


def _json(value, words: Wording):
    if isinstance(value, dict):
        return {key: _json(one, words) for key, one in value.items()}
    return [_json(one, words) for one in value] if isinstance(value, list) else words.json(value)


def as_yaml(value: dict | list, words: Wording, depth: int = 0) -> str:
    """A record or a list of records, indented by two spaces a level."""
    start = "  " * depth
    if isinstance(value, list):
        return "\n".join(f"{start}- " + as_yaml(one, words, depth + 1).lstrip() for one in value)
    lines = []
    for key, one in value.items():
        inner = f"\n{as_yaml(one, words, depth + 1)}" if isinstance(one, dict | list) else f" {words.written(one)}"
        lines.append(f"{start}{key}:{inner}".rstrip())
    return "\n".join(lines)


def as_lines(record: dict, words: Wording, random: Random) -> str:
    between = random.choice((": ", ": ", " = ", "=", " is ", " - ", "\t", " | ", ":", " -> ", " ", " … "))
    start = random.choice(("", "", "", "- ", "* ", "• "))
    lines = [start + key + between + words.written(value) for key, value in record.items()]
    return random.choice(("\n", "\n", "\n", ", ", "; ", " / ", ". ")).join(line.rstrip() for line in lines)


def as_settings(record: dict, words: Wording) -> str:
    """One line as in a log: `status=open plan="two words"`."""
    written = ((key.replace(" ", "_"), words.written(value)) for key, value in record.items())
    return " ".join(f'{key}="{value}"' if " " in value or not value else f"{key}={value}" for key, value in written)


def as_csv(rows: list[dict], words: Wording, delimiter: str) -> str:
    lines = io.StringIO()
    writer = csv.writer(lines, delimiter=delimiter, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([words.written(value) for value in row.values()] for row in rows)
    return lines.getvalue().rstrip("\n")


def as_markdown(rows: list[dict], words: Wording) -> str:
    table = [list(rows[0]), ["---"] * len(rows[0]), *([words.written(value) for value in row.values()] for row in rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in table)


def as_sentences(record: dict, random: Random) -> str:
    return " ".join(sentence(key, value, random) for key, value in record.items())


def sentence(key: str, value, random: Random) -> str:
    """What the record says of one key: "The account is not verified." """
    name = readable(key)
    if value is None:
        text = random.choice(("the {} is unknown", "there is no {}", "no {} is given", "the {} is missing", "we don't have the {}"))
        text = text.format(name)
    elif isinstance(value, bool):
        text = _claim(re.sub(r"^(is|has) ", "", name), value, random)
    else:
        text = random.choice(("the {} is {}", "the {} is {}", "{} is {}", "as {} we have {}", "the {} reads {}")).format(name, value)
    return text[0].upper() + text[1:] + "."


def _claim(name: str, truth: bool, random: Random) -> str:
    """That a flag is on or off, as people say it."""
    negation = "" if truth else random.choice((" not", "n't"))
    if ADJECTIVE.fullmatch(name):
        return f"{random.choice(SUBJECTS)} is{negation} {name}"
    of_thing = PARTICIPLE.fullmatch(name)
    if of_thing:
        thing, done = of_thing.groups()
        return f"the {thing} {'are' if thing.endswith('s') else 'is'}{negation} {done}"
    on, off = random.choice(((f"{name}: yes", f"{name}: no"), (f"{name} is on", f"{name} is off"), (f"{name} applies", f"{name} does not apply"), (f"with {name}", f"without {name}")))
    return on if truth else off


def entries(text: str, keys: list[str]) -> dict[str, tuple[int, int]]:
    """The characters from each key, or name of a row, to the next one, for those that are followed by a value."""
    found: dict[str, tuple[int, int]] = {}
    # A key can be a part of a longer one, which is therefore looked for first.
    for key in sorted(keys, key=len, reverse=True):
        written = {key, key.replace("_", " "), key.replace(" ", "_"), readable(key)}
        for one in re.finditer(rf"(?<!\w)({'|'.join(map(re.escape, sorted(written)))})(?!\w)", text, re.I):
            if all(one.end() <= start or end <= one.start() for start, end in found.values()):
                found[key] = one.span()
                break
    spans = {}
    for key, (start, end) in found.items():
        following = min([other for other, _ in found.values() if other > start] + [len(text), end + LONGEST_ENTRY])
        # The last key of a table's header is followed by the end of the line.
        if re.search(r"\w|[✓✗]", text[end:following]) and not re.match(r"[ |]*\n", text[end:]):
            spans[key] = (start, following)
    return spans
