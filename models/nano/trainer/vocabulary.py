"""Builds the vocabulary from the training part of the bank, without `second/` and `third/`."""

import re
from collections import Counter
from random import Random

from bank import TRAIN, Bank, words
from messages import Messages
from phrases import expand
from records import Records
from tokenizer import SPACE, Tokenizer, build, pieces

#: Tokens of lower-case parts of words, and of everything: the embeddings are most of the file.
SIZE, TOKENS_MAX = 4_000, 17_500
EXPANSIONS, STATES_SAMPLED = 3, 4_000


def vocabulary() -> Tokenizer:
    bank = Bank(TRAIN)
    texts = [message.text for message in bank.messages]
    random = Random(0)
    texts += [expand(message.text, random) for message in bank.phrases for _ in range(EXPANSIONS)]
    named = [text for asked in bank.questions.values() for text in asked]
    for labels in bank.labels.values():
        named += [label.name for label in labels] + [label.description for label in labels if label.description]
    for scales in bank.scales.values():
        named += [text for scale in scales for _, label in scale for text in (label.name, label.description or "")]
    for field in bank.fields:
        named += [re.sub(r"([a-z])([A-Z])", r"\1 \2", field.key), *field.values]
    for sentences in bank.sentences.values():
        texts += [expand(sentence, random) for sentence in sentences]
    for members in [*bank.synonyms["word"], *bank.synonyms["phrase"]]:
        texts += members[:5]
    records = Records(bank, random)
    states = [records.draw()[0] for _ in range(STATES_SAMPLED)]
    messages = Messages(bank, random)
    states += [messages.state(messages.draw()) for _ in range(STATES_SAMPLED)]

    counts: Counter = Counter()
    forms: Counter = Counter()
    for text, times in [*((text, 1) for text in texts), *((text, 3) for text in named)]:
        for word in words(text):
            if word.isascii():
                counts[word.lower()] += times
                forms[word] += times
    symbols: Counter = Counter()
    for text in [*texts, *named, *states]:
        for piece in pieces(text):
            if not re.search(r"[^\W_]", piece):
                symbols[piece] += 1
    symbols = Counter({piece: n for piece, n in symbols.items() if n >= 20})
    for least in range(3, 20):
        whole = {word for word, n in counts.items() if n >= least and len(word) > 1}
        capitals = {form for form, n in forms.items() if form.lower() in whole and form != form.lower() and n >= least}
        built = build(counts, symbols, whole, capitals, SIZE)
        if len(built.tokens) <= TOKENS_MAX:
            break
    return built
