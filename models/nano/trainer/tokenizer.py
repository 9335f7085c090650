"""A byte-level BPE vocabulary in which a word is one token in each of its written forms.

Pre-tokenization is that of llama.cpp's `smollm`: digits one by one, then the expression of GPT-2.
"""

import json
from collections import Counter, defaultdict
from functools import lru_cache

import regex

DIGIT = regex.compile(r"\p{N}")
PIECES = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)
LETTERS = [chr(65 + i) for i in range(26)]
#: Tokens that only the template can write.
CONTROL = ["<s>", "</s>", "<|end|>", "<|name|>", "<|question|>", "<|answer|>", *(f"<|{letter}|>" for letter in LETTERS)]
SPACE = "\u0120"


def _byte_characters() -> dict[int, str]:
    """GPT-2's printable character for each byte."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in kept]
    return {byte: chr(byte) for byte in kept} | {byte: chr(256 + n) for n, byte in enumerate(others)}


BYTES = _byte_characters()


def pieces(text: str) -> list[str]:
    """Splits text into the pieces that are tokenized apart."""
    found = []
    start = 0
    for digit in DIGIT.finditer(text):
        found += PIECES.findall(text[start : digit.start()])
        found.append(digit.group())
        start = digit.end()
    return found + PIECES.findall(text[start:])


def spell(piece: str) -> str:
    return "".join(BYTES[byte] for byte in piece.encode())


class Tokenizer:
    def __init__(self, tokens: list[str], merges: list[tuple[str, str]]):
        self.tokens = tokens
        self.merges = merges
        self.ids = {token: number for number, token in enumerate(tokens)}
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.encode_piece = lru_cache(maxsize=200_000)(self._encode_piece)

    def encode(self, text: str) -> list[int]:
        return [token for piece in pieces(text) for token in self.encode_piece(piece)]

    def _encode_piece(self, piece: str) -> list[int]:
        return [self.ids[part] for part in merge(list(spell(piece)), self.ranks)]

    def families(self) -> list[int]:
        """A number for each token, shared by the forms of a word: with and without a space or capitals."""
        numbers: dict[str, int] = {}
        found = []
        for token in self.tokens:
            plain = token.lstrip(SPACE).lower() or token
            key = token if token in CONTROL or token in LETTERS else plain
            found.append(numbers.setdefault(key, len(numbers)))
        return found

    def save(self, path) -> None:
        path.write_text(json.dumps({"tokens": self.tokens, "merges": self.merges}, ensure_ascii=False))

    @staticmethod
    def load(path) -> "Tokenizer":
        stored = json.loads(path.read_text())
        return Tokenizer(stored["tokens"], [tuple(pair) for pair in stored["merges"]])


def merge(parts: list[str], ranks: dict[tuple[str, str], int]) -> list[str]:
    while len(parts) > 1:
        rank, at = min((ranks.get(pair, len(ranks)), at) for at, pair in enumerate(zip(parts, parts[1:])))
        if rank == len(ranks):
            break
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def learn(counts: Counter, symbols: Counter, size: int) -> Tokenizer:
    """
    Learns the parts of words. It takes most of the time of a vocabulary.

    counts: lower-case words without spaces. symbols: pieces without letters, such as `":`.
    size: tokens of lower-case parts of words, at most.
    """
    tokens = [*CONTROL, *(BYTES[byte] for byte in range(256))]
    merges: list[tuple[str, str]] = []
    _learn(Counter({word: n for word, n in counts.items() if len(word) > 1}), tokens, merges, size)
    _learn(Counter({piece: n for piece, n in symbols.items() if len(piece) > 1}), tokens, merges, len(tokens) + 200)
    return Tokenizer(tokens, merges)


def build(parts: Tokenizer, counts: Counter, whole: set[str], forms: set[str]) -> Tokenizer:
    """
    Adds words to the parts of words.

    counts: as of `learn`. whole: lower-case words that must be one token. forms: words with a space before them or capitals
    that must be one token.
    """
    tokens, merges = [*parts.tokens], [*parts.merges]
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    known = set(tokens)

    def join(written: str) -> None:
        parts = merge(list(spell(written)), ranks)
        while len(parts) > 1:
            pair = (parts[0], parts[1])
            if pair not in ranks:
                ranks[pair] = len(merges)
                merges.append(pair)
            if pair[0] + pair[1] not in known:
                known.add(pair[0] + pair[1])
                tokens.append(pair[0] + pair[1])
            parts = merge(list(spell(written)), ranks)

    for word in sorted(whole, key=lambda word: (-counts[word], word)):
        join(word)
    # The space is joined last, so that it does not change how a word is divided.
    for form in sorted(forms, key=lambda form: (form.startswith(" "), form)):
        join(form)
    for letter in [*LETTERS, *map(chr, range(97, 123))]:
        join(" " + letter)
    return Tokenizer(tokens, merges)


def _learn(counts: Counter, tokens: list[str], merges: list[tuple[str, str]], size: int) -> None:
    """Byte-pair encoding: joins the most frequent pair until `tokens` has `size` entries or no pair occurs twice."""
    words = [(list(spell(word)), n) for word, n in counts.items()]
    pairs: Counter = Counter()
    places = defaultdict(set)
    for number, (parts, n) in enumerate(words):
        for pair in zip(parts, parts[1:]):
            pairs[pair] += n
            places[pair].add(number)
    known = set(tokens)
    while len(tokens) < size and pairs:
        pair, n = max(pairs.items(), key=lambda item: (item[1], item[0]))
        if n < 2:
            break
        merges.append(pair)
        if pair[0] + pair[1] not in known:
            known.add(pair[0] + pair[1])
            tokens.append(pair[0] + pair[1])
        for number in list(places[pair]):
            parts, times = words[number]
            for old in zip(parts, parts[1:]):
                pairs[old] -= times
            at = 0
            while at < len(parts) - 1:
                if (parts[at], parts[at + 1]) == pair:
                    parts[at : at + 2] = [parts[at] + parts[at + 1]]
                at += 1
            for new in zip(parts, parts[1:]):
                pairs[new] += times
                places[new].add(number)
        del pairs[pair]
