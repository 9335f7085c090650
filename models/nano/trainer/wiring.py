"""
Initial weights that already copy.

From random weights, looking up a value by its key does not form in millions of tokens. Here it is built in:

- Block 0 writes the three previous tokens next to each token, and marks the tokens after the state and in the question.
- Block 1: each token of the question finds its own word in the state, and brings the word two or three places after it:
  for a key, the value. Letters fetch the first word of their option.
- Block 2: the last token gathers what the words of its question have found.
- Block 4: the last token compares what it has with what each letter has, and brings the code of the letter.

Everything else starts at random and writes nothing at first, and all of it is trained.

The residual stream has a constant, flags, a code per letter, five slots (the token itself, the tokens one, two and three
places before, and what was found), and word vectors whose averages tell a message's attributes.
"""

import math

import torch
from torch import Tensor, nn

from network import SEMANTIC, SPECIAL, Network
from prompt import Prompts

CONSTANT, MARK, START, ANSWER, SPARE = range(5)
CODE, CODES = 5, 15
#: Flags: the token has found something; its word occurs in the state; it comes after the state, or after the mark before
#: the question; it is the end of the state, or that mark.
FOUND, MENTIONED, LEAF, ASKED, END, QUESTION = range(20, 26)
FIRST_SLOT = SPECIAL
SLOTS, FOUND_SLOT = 5, 4
#: Sizes of the embeddings' parts.
SEMANTIC_SIZE, SEMANTIC_MOST = 1.2, 2.0
SLOT_SIZE, OTHERS_SIZE, CONSTANT_SIZE, FLAG_SIZE, CODE_SIZE, START_SIZE, SPARE_SIZE = 2.4, 0.7, 0.8, 1.5, 1.8, 2.5, 6.0


class Wiring:
    def __init__(self, network: Network, prompts: Prompts, seed: int, vectors: Tensor, heads: nn.ModuleList):
        """vectors and heads: of semantics.word_vectors."""
        self.vectors, self.attribute_heads = vectors, heads
        self.network, self.prompts = network, prompts
        self.random = torch.Generator().manual_seed(seed)
        shape = network.shape
        self.width, self.head, self.heads = shape.width, shape.head, shape.heads
        self.slot_width = (shape.width - FIRST_SLOT - SEMANTIC) // SLOTS
        self.semantic = slice(shape.width - SEMANTIC, shape.width)
        #: Rows of a head whose rotation is slow enough that contents can be compared over some hundred tokens.
        self.rows = list(range(10, 29))
        self.scale = 1 / math.sqrt(shape.head)
        #: How large parts are after normalization, before and after the first block.
        total = self.total = SLOT_SIZE**2 + OTHERS_SIZE**2 + CONSTANT_SIZE**2 + SEMANTIC_MOST**2
        self.first_rms = math.sqrt(total / shape.width)
        self.rms = math.sqrt((total + 3 * SLOT_SIZE**2) / shape.width)
        self.constant, self.flag = CONSTANT_SIZE / self.rms, FLAG_SIZE / self.rms
        self.start_rms = math.sqrt((CONSTANT_SIZE**2 + START_SIZE**2 + SPARE_SIZE**2) / shape.width)

    def slot(self, back: int) -> slice:
        begin = FIRST_SLOT + back * self.slot_width
        return slice(begin, begin + self.slot_width)

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(*shape, generator=self.random)

    @torch.no_grad()
    def apply(self) -> None:
        self.embeddings()
        for block in self.network.blocks:
            for weight in (block.q, block.k, block.v, block.gate, block.up):
                weight.copy_(self.normal(*weight.shape) * weight.shape[1] ** -0.5)
            # What is not built in writes nothing at first: noise would spread from the start token, on which heads rest.
            block.o.zero_()
            block.down.zero_()
            for head in range(self.heads):
                self.mild(block, head)
        blocks = self.network.blocks
        for head in range(3):
            self.previous(blocks[0], head, head + 1)
        self.after(blocks[0], 3, END, LEAF)
        self.after(blocks[0], 4, QUESTION, ASKED)
        self.find(blocks[1], 0, 2, FOUND)
        self.find(blocks[1], 1, 3, FOUND)
        self.find(blocks[1], 2, 0, MENTIONED)
        self.fetch(blocks[1], 3)
        self.gather(blocks[2], 1, FOUND, FOUND_SLOT, 0)
        self.gather(blocks[2], 2, MENTIONED, 0, FOUND_SLOT)
        self.average(blocks[1], 4, near=True)
        self.average(blocks[1], 5)
        self.average(blocks[3], 0, far=True)
        for block, heads in ((blocks[2], (0, 3, 4, 5)), (blocks[3], (2, 4))):
            for head in heads:
                self.pool(block, head)
        self.both(blocks[3], 1, 3)
        self.both(blocks[3], 3, 2)
        self.match(blocks[4], 0, 2, 0.3)
        self.match(blocks[4], 1, 0, 1.5)
        self.match(blocks[4], 2, None, 0.6)
        for layer, trained in zip(self.network.attributes, self.attribute_heads):
            layer.weight.zero_()
            layer.weight[:, self.semantic] = trained.weight * 0.6
            layer.bias.copy_(trained.bias)

    def embeddings(self) -> None:
        network, prompts = self.network, self.prompts
        words = torch.zeros(len(network.contents), self.width)
        slot = self.slot(0)
        unit = lambda x: x / x.norm(dim=-1, keepdim=True)
        words[:, slot] = unit(self.normal(len(words), self.slot_width)) * SLOT_SIZE
        others = slice(slot.stop, self.semantic.start)
        words[:, others] = unit(self.normal(len(words), others.stop - others.start)) * OTHERS_SIZE
        vectors = self.vectors * (SEMANTIC_SIZE / self.vectors.norm(dim=-1, keepdim=True).mean())
        words[:, self.semantic] = vectors * (SEMANTIC_MOST / vectors.norm(dim=-1, keepdim=True)).clamp(max=1)
        words[:, CONSTANT] = CONSTANT_SIZE
        network.concepts[:, slot] = unit(self.normal(len(network.concepts), self.slot_width)) * SLOT_SIZE
        network.concepts[:, CONSTANT] = CONSTANT_SIZE
        family = network.family.tolist()
        marks = (prompts.start, prompts.answer, prompts.end, prompts.question)
        start, answer, end, question = (words[family[token]] for token in marks)
        start.zero_()
        start[CONSTANT], start[START], start[SPARE] = CONSTANT_SIZE, START_SIZE, SPARE_SIZE
        answer[ANSWER] = end[END] = question[QUESTION] = FLAG_SIZE
        codes = torch.zeros(26, CODES)
        codes[:10, :10] = torch.eye(10)
        codes[10:, 10:] = unit(self.normal(16, CODES - 10))
        for place, (mark, letter) in enumerate(zip(prompts.marks, prompts.letters)):
            words[family[mark], MARK] = FLAG_SIZE
            for token in (mark, letter):
                words[family[token], CODE : CODE + CODES] = codes[place] * CODE_SIZE
        # Signs and marks are seldom what is looked for, so they are faint.
        faint = {family[number] for number, token in enumerate(prompts.tokenizer.tokens) if not any(c.isalnum() for c in token)}
        faint |= {family[token] for token in (prompts.answer, *prompts.marks)}
        for one in faint - {family[prompts.start]}:
            words[one, slot] *= 0.25
        # All vectors have the same length, so that normalization leaves the same constant of each.
        rest = (self.total - words.square().sum(-1)).clamp(min=0).sqrt()
        rest[family[prompts.start]] = SPARE_SIZE
        words[:, SPARE] = rest
        network.contents.copy_(words[:, : self.semantic.start])
        network.meanings.copy_(words[:, self.semantic])

    def part(self, block, head: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The rows of one head, cleared."""
        span = slice(head * self.head, (head + 1) * self.head)
        parts = block.q[span], block.k[span], block.v[span], block.o[:, span]
        for part in parts:
            part.zero_()
        return parts

    def mild(self, block, head: int) -> None:
        """A head that compares contents weakly."""
        q, k, v, o = self.part(block, head)
        shared = self.normal(self.head, self.width) * self.width**-0.5
        shared[:, :FIRST_SLOT] = 0
        q += shared + self.normal(self.head, self.width) * 0.3 * self.width**-0.5
        k += shared + self.normal(self.head, self.width) * 0.3 * self.width**-0.5
        v += self.normal(self.head, self.width) * self.width**-0.5

    def pool(self, block, head: int) -> None:
        """A head that averages nearly evenly."""
        q, k, v, o = self.part(block, head)
        q += self.normal(self.head, self.width) * 0.1 * self.width**-0.5
        k += self.normal(self.head, self.width) * 0.1 * self.width**-0.5
        v += torch.linalg.qr(self.normal(self.width, self.width))[0][: self.head]
        v[:, :FIRST_SLOT] = 0

    def average(self, block, head: int, near: bool = False, far: bool = False) -> None:
        """Averages word vectors over what is visible, over the nearest tokens, or at the answer over the farther ones."""
        q, k, v, o = self.part(block, head)
        if near:
            for pair in (1, 2):
                self.add(q, k, 2 * pair, 7, (CONSTANT, self.constant), (CONSTANT, self.constant))
        if far:
            self.avoid_near(q, k, 10)
        for n, dimension in enumerate(range(self.semantic.start, self.semantic.stop)):
            v[n, dimension] = 1
            o[dimension, n] = (0.7 if near else 1.5) * self.rms

    def previous(self, block, head: int, back: int) -> None:
        """Copies the token `back` places before into its slot: the fast rotations peak at that distance."""
        q, k, v, o = self.part(block, head)
        amplitudes = torch.zeros(self.head // 2)
        amplitudes[:5] = torch.tensor([1, 0.7, 0.6, 0.4, 0.3]) * 4
        angle = self.network.frequencies * back
        q[0::2, CONSTANT] = amplitudes
        k[0::2, CONSTANT], k[1::2, CONSTANT] = amplitudes * angle.cos(), amplitudes * angle.sin()
        for n in range(min(self.slot_width, self.head)):
            v[n, self.slot(0).start + n] = 1
            o[self.slot(back).start + n, n] = self.first_rms

    def add(self, q: Tensor, k: Tensor, row: int, score: float, asking: tuple[int, float], asked: tuple[int, float]) -> None:
        """
        Adds `score` where the query has the dimension `asking[0]`, of the size `asking[1]`, and the key `asked[0]`. Both
        factors are equally large: scores made of a small and a very large one move at the first steps of training.
        """
        each = math.sqrt(abs(score) / self.scale)
        q[row, asking[0]] += math.copysign(each, score) / asking[1]
        k[row, asked[0]] = each / asked[1]

    def compare(self, q: Tensor, k: Tensor, asked: int, key: int, score: float) -> None:
        """Equal contents of the slots `asked` (of the query) and `key` give `score`."""
        size = SLOT_SIZE / self.rms
        share = len(self.rows) / self.slot_width
        gain = math.sqrt(score / (self.scale * size * size * share))
        for n, row in enumerate(self.rows):
            q[row, self.slot(asked).start + n] = gain
            k[row, self.slot(key).start + n] = gain

    def rest(self, q: Tensor, k: Tensor, row: int, active: float, inactive: float, flag: int) -> None:
        """The score of the start token: low for tokens with the flag, else so high that nothing else is read."""
        each = math.sqrt(inactive / self.scale)
        k[row, START] = each / (START_SIZE / self.start_rms)
        q[row, CONSTANT] = inactive / self.scale / each / self.constant
        q[row, flag] = (active - inactive) / self.scale / each / self.flag

    def avoid_near(self, q: Tensor, k: Tensor, score: float) -> None:
        """The last token's own question is not what it looks for."""
        for pair in (2, 3, 4):
            self.add(q, k, 2 * pair, -score / 3, (ANSWER, self.flag), (CONSTANT, self.constant))

    def bring(self, v: Tensor, o: Tensor, slot: int, size: float, into: int = 0) -> None:
        """Writes what a slot of the token read holds into a slot of this one."""
        for n in range(min(self.slot_width, self.head)):
            v[n, self.slot(slot).start + n] = 1
            o[self.slot(into).start + n, n] = size * self.rms

    def after(self, block, head: int, sign: int, flag: int) -> None:
        """Sets a flag of the tokens that see a token with the sign."""
        q, k, v, o = self.part(block, head)
        constant, flagged = CONSTANT_SIZE / self.first_rms, FLAG_SIZE / self.first_rms
        self.add(q, k, 28, 30, (CONSTANT, constant), (sign, flagged))
        k[28, START] = 0.5 * k[28, sign] * flagged / (START_SIZE / self.start_rms)
        v[0, sign] = 1
        o[flag, 0] = self.first_rms

    def find(self, block, head: int, key: int, flag: int) -> None:
        """In the question: finds a token of the state `key` places behind the same word, brings it, and sets the flag."""
        q, k, v, o = self.part(block, head)
        self.compare(q, k, 0, key, 28)
        self.rest(q, k, 31, 16, 45, ASKED)
        self.add(q, k, 30, -30, (CONSTANT, self.constant), (LEAF, self.flag))
        if flag == FOUND:
            self.bring(v, o, 0, 1.0, FOUND_SLOT)
        # The constant, but nothing of the start token, on which the head rests.
        v[self.head - 1, CONSTANT] = 1 / self.constant
        v[self.head - 1, START] = -CONSTANT_SIZE / START_SIZE / self.constant
        o[flag, self.head - 1] = FLAG_SIZE

    def gather(self, block, head: int, flag: int, slot: int, into: int) -> None:
        """At the answer: brings a slot of the tokens of the question with the flag."""
        q, k, v, o = self.part(block, head)
        self.add(q, k, 29, 30, (ANSWER, self.flag), (flag, self.flag))
        k[29, ASKED] = k[29, flag]
        self.rest(q, k, 31, 42, 60, ANSWER)
        self.bring(v, o, slot, 1.8, into)

    def fetch(self, block, head: int) -> None:
        """At a letter: brings the first word after the nearest name mark."""
        q, k, v, o = self.part(block, head)
        name = self.network.words[self.network.family[self.prompts.name], self.slot(0)]
        for n, row in enumerate(self.rows):
            q[row, MARK] = name[n] / name.norm() * 5
            k[row, self.slot(1).start + n] = 2.0
        for pair, score in ((1, 6), (2, 9), (3, 9), (4, 6)):
            self.add(q, k, 2 * pair, score, (MARK, self.flag), (CONSTANT, self.constant))
        self.rest(q, k, 31, 0, 60, MARK)
        self.bring(v, o, 0, 1.8)

    def both(self, block, head: int, back: int) -> None:
        """At the answer to "is K V?": yes if some token is V and has K `back` places before."""
        q, k, v, o = self.part(block, head)
        self.compare(q, k, 2, 0, 30)
        for n, row in enumerate(self.rows):
            if n >= 10:
                q[row], k[row] = 0, 0
                gain = math.sqrt(30 / (self.scale * (SLOT_SIZE / self.rms) ** 2 * len(self.rows) / self.slot_width))
                q[row, self.slot(3).start + n - 10] = gain
                k[row, self.slot(back).start + n - 10] = gain
        self.rest(q, k, 31, 21, 45, ANSWER)
        self.avoid_near(q, k, 22)
        yes, no = (self.network.concepts[n, self.slot(0)] for n in (0, 1))
        v[0, CONSTANT], v[1, START] = 1, 1
        o[self.slot(0), 0] = yes * 0.1
        o[self.slot(0), 1] = (no - 0.3 * yes) * 0.05

    def match(self, block, head: int, slot: int | None, size: float) -> None:
        """At the answer: compares what it found with each letter's `slot` or word vector, and brings that letter's code."""
        q, k, v, o = self.part(block, head)
        if slot is None:
            for n, row in enumerate(self.rows):
                q[row, self.semantic.start + n] = k[row, self.semantic.start + n] = 0.5
        else:
            self.compare(q, k, 0, slot, 10)
        self.add(q, k, 29, 60, (CONSTANT, self.constant), (MARK, self.flag))
        self.rest(q, k, 31, 55, 100, ANSWER)
        for n in range(CODES):
            v[n, CODE + n] = 1
            o[CODE + n, n] = size
