"""The network: a Llama decoder with tied embeddings and interleaved rotary pairs, as llama.cpp runs it."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kernels import Attend, Gated, Normed, product
from tokenizer import CONTROL, LETTERS, SPACE, Tokenizer

EPSILON = 1e-5
#: The last dimensions of the embeddings are word vectors, see semantics.py.
SEMANTIC = 32
#: The first ones are flags and codes, see wiring.py; they are no part of what a word is.
SPECIAL = 26


@dataclass(frozen=True)
class Shape:
    width: int = 192
    layers: int = 6
    heads: int = 6
    feed_forward: int = 384
    rope_base: float = 1e7

    @property
    def head(self) -> int:
        return self.width // self.heads


class Norm(nn.Module):
    def __init__(self, width: int, start: float = 1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.full((width,), start))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + EPSILON) * self.weight


class Block(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        width, inner = shape.width, shape.feed_forward
        self.heads, self.head = shape.heads, shape.head
        self.attention_norm, self.feed_norm = Norm(width), Norm(width)
        self.q, self.k, self.v, self.o = (nn.Parameter(torch.empty(width, width)) for _ in range(4))
        self.gate, self.up = (nn.Parameter(torch.empty(inner, width)) for _ in range(2))
        self.down = nn.Parameter(torch.empty(width, inner))

    def fast(self, x: Tensor, angles: Tensor, ranges: Tensor) -> Tensor:
        """Passes bfloat16 between its parts, for training; the residual stream is float32."""
        rows, length, width = x.shape
        qkv = product(Normed.apply(x, self.attention_norm.weight, EPSILON), torch.cat([self.q, self.k, self.v]))
        read = Attend.apply(qkv.view(rows, length, 3, self.heads, self.head), angles, ranges)
        x = x + product(read.view(rows, length, width), self.o)
        both = product(Normed.apply(x, self.feed_norm.weight, EPSILON), torch.cat([self.gate, self.up]))
        return x + product(Gated.apply(both), self.down)

    def exact(self, x: Tensor, angles: Tensor, seen: Tensor) -> Tensor:
        """In float32, as a reference. seen: rows x 1 x length x length, whether a token (third) sees another (fourth)."""
        rows, length, width = x.shape
        normal = self.attention_norm(x)
        q, k, v = (F.linear(normal, weight).view(rows, length, self.heads, self.head).transpose(1, 2) for weight in (self.q, self.k, self.v))
        cos, sin = angles[:, None].unbind(-1)
        scores = turn(q, cos, sin) @ turn(k, cos, sin).transpose(2, 3) * self.head**-0.5
        read = scores.masked_fill(~seen, -torch.inf).softmax(-1) @ v
        x = x + F.linear(read.transpose(1, 2).reshape(rows, length, width), self.o)
        normal = self.feed_norm(x)
        return x + F.linear(F.silu(F.linear(normal, self.gate)) * F.linear(normal, self.up), self.down)


def turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions, of interleaved pairs."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)


def visible(ranges: Tensor) -> Tensor:
    """Which tokens see which, see attention.c: rows x 1 x length x length."""
    place = torch.arange(ranges.shape[1])
    begin, end, own = (ranges[..., n, None] for n in range(3))
    return ((place >= begin) & (place < end) | (place >= own) & (place <= place[:, None]))[:, None]


class Network(nn.Module):
    """
    Embeddings are sums of a vector per word and one per written form, so that `refund`, ` refund` and `Refund` stay
    alike; the file has their sums.
    """

    def __init__(self, shape: Shape, tokenizer: Tokenizer, concepts: int, attributes: tuple[int, ...]):
        super().__init__()
        self.shape = shape
        self.register_buffer("family", torch.tensor(tokenizer.families()), persistent=False)
        self.register_buffer("form", torch.tensor([form_of(token) for token in tokenizer.tokens]), persistent=False)
        families = int(self.family.max()) + 1
        #: Two parameters, because word vectors must learn faster than what is copied and compared.
        self.contents = nn.Parameter(torch.zeros(families, shape.width - SEMANTIC))
        self.meanings = nn.Parameter(torch.zeros(families, SEMANTIC))
        self.forms = nn.Parameter(torch.zeros(4, shape.width))
        #: Classes that answers and options stand for; used in training only.
        self.concepts = nn.Parameter(torch.zeros(concepts - families, shape.width))
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = Norm(shape.width, 0.6)
        self.content_norm, self.option_norm, self.attribute_norm = (Norm(shape.width, 0.3) for _ in range(3))
        self.attributes = nn.ModuleList(nn.Linear(shape.width, size) for size in attributes)
        #: Whether a yes-or-no question is negated; used in training only.
        self.negation = nn.Linear(shape.width, 1)
        self.negation_norm = Norm(shape.width, 0.3)
        pairs = torch.arange(0, shape.head, 2).float() / shape.head
        self.register_buffer("frequencies", shape.rope_base**-pairs, persistent=False)

    @property
    def words(self) -> Tensor:
        return torch.cat([self.contents, self.meanings], -1)

    def embeddings(self) -> Tensor:
        return self.words[self.family] + self.forms[self.form]

    def embed(self, ids: Tensor) -> Tensor:
        family = self.family[ids]
        words = torch.cat([F.embedding(family, self.contents), F.embedding(family, self.meanings)], -1)
        return words + F.embedding(self.form[ids], self.forms)

    def rotation(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """The cosines and sines by which heads are turned: positions x half of a head."""
        turns = positions[..., None].float() * self.frequencies
        return turns.cos(), turns.sin()

    def hidden(self, ids: Tensor, positions: Tensor, ranges: Tensor, fast: bool = False) -> list[Tensor]:
        """The residual stream after each block. ids, positions: rows x length; ranges: see attention.c."""
        angles = torch.stack(self.rotation(positions), -1)
        x = self.embed(ids)
        seen = None if fast else visible(ranges)
        found = []
        for block in self.blocks:
            x = block.fast(x, angles, ranges) if fast else block.exact(x, angles, seen)
            found.append(x)
        return found

    def letter_logits(self, x: Tensor, letters: Tensor) -> Tensor:
        return F.linear(self.norm(x), self.embed(letters))

    def content_logits(self, x: Tensor, norm: Norm) -> Tensor:
        """
        Over words and concepts. Gradients reach the concepts only: as targets, words that are never right would be
        pushed away from all others.
        """
        normal = norm(x)
        words = product(normal[:, SPECIAL:-SEMANTIC], self.contents[:, SPECIAL:].detach())
        return torch.cat([words, F.linear(normal, self.concepts).bfloat16()], -1).float()


def form_of(token: str) -> int:
    """0 to 3: whether a word starts with a space, and whether it has capitals."""
    if token in CONTROL or token in LETTERS:
        return 0
    return int(token.startswith(SPACE)) + 2 * int(token.lower() != token)
