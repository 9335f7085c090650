"""Builds the vocabulary from the training part of the bank."""

import re
from collections import Counter
from random import Random

from bank import REPLACEMENTS, TRAIN, Bank
from formats import MISSING, TRUTHS
from messages import Messages
from phrases import expand
from records import Records
from tokenizer import Tokenizer, build, learn, pieces
from unknown import Unknown

#: Tokens of lower-case parts of words, and of everything: the embeddings are most of the file.
SIZE, TOKENS_MAX = 2_000, 17_700
EXPANSIONS, STATES_SAMPLED = 3, 4_000
#: Names of options, keys and values, and questions about lists, count more: they are few, and what the answer depends on.
NAMED = 3
#: Times that words for yes, no and missing values count.
ALWAYS = 50
#: The parts of `camelCase` and `HTTPServer`.
PARTS = re.compile(r" ?[A-Z]?[a-z]+| ?[A-Z]+(?![a-z])")


def vocabulary() -> Tokenizer:
    bank, random = Bank(TRAIN), Random(0)
    forms: Counter = Counter()
    symbols: Counter = Counter()
    for text, times in [*((text, 1) for text in sentences(bank, random)), *((text, NAMED) for text in names(bank))]:
        for piece in pieces(text):
            parts = PARTS.findall(piece) if piece.isascii() else []
            for part in {*parts, "".join(parts)} - {""}:
                forms[part] += times
    for text in [*sentences(bank, random), *states(bank, random)]:
        for piece in pieces(text):
            if not re.search(r"[^\W_]", piece):
                symbols[piece] += 1
    symbols = Counter({piece: n for piece, n in symbols.items() if n >= 20})
    counts: Counter = Counter()
    for form, n in forms.items():
        counts[form.strip().lower()] += n
    parts = learn(counts, symbols, SIZE)
    for least in range(3, 40):
        whole = {word for word, n in counts.items() if n >= least and len(word) > 1}
        chosen = {form for form, n in forms.items() if n >= least and form.strip().lower() in whole and form not in whole}
        built = build(parts, counts, whole, chosen)
        if len(built.tokens) <= TOKENS_MAX:
            break
    return built


def sentences(bank: Bank, random: Random):
    """Messages, questions, and words that replace others in them."""
    for message in bank.messages:
        yield message.text
    for message in bank.phrases:
        for _ in range(EXPANSIONS):
            yield expand(message.text, random)
    for asked in bank.questions.values():
        for text in asked:
            yield text
    for added in bank.sentences.values():
        for text in added:
            yield expand(text, random)
    for members in [members for kind in REPLACEMENTS for members in bank.synonyms[kind]]:
        for text in members[:5]:
            yield " " + text
    for keys in [*bank.kinds.values(), *bank.opposites.values()]:
        for key in keys:
            yield from (*key.asks, *key.asks_not, *key.asks_value, *key.asks_given, *key.asks_missing)
    for one in bank.lists:
        yield from (*one.asks, *one.asks_not) * NAMED
    for table in bank.tables:
        for column in table.columns:
            yield from (*column.asks, *column.asks_row)
    unknown = Unknown(bank, random)
    for kind in unknown.kinds:
        for text in [*unknown.states[kind], *(asked.text for asked in unknown.asked[kind])]:
            for _ in range(EXPANSIONS):
                yield unknown.expand(text)


def names(bank: Bank):
    """Labels, keys and values, as they are and, where a space can come before them, with it."""
    for labels in bank.labels.values():
        for label in labels:
            yield label.name
            yield label.description or ""
    for scales in bank.scales.values():
        for scale in scales:
            for _, label in scale:
                yield label.name
                yield label.description or ""
    for word in [*(word for pair in TRUTHS for word in pair), *MISSING] * ALWAYS:
        yield word
        yield " " + word
    keys = [key for keys in bank.kinds.values() for key in keys]
    columns = [column for table in bank.tables for column in table.columns]
    for field in [*bank.fields, *keys, *bank.lists, *columns]:
        yield field.key
        for value in field.values:
            yield value
            yield " " + value
    rows = [name for table in bank.tables for name in (table.name, *table.rows)]
    states = [word for words in bank.antonyms for side in words for word in side]
    options = [name for found in bank.unknown.values() for row in found for name in row["options"].split(" | ")]
    for word in [*rows, *states, *options]:
        yield word
        yield " " + word


def states(bank: Bank, random: Random):
    records, messages = Records(bank, random), Messages(bank, random)
    for _ in range(STATES_SAMPLED):
        yield records.draw()[0]
        yield messages.state(messages.draw())
