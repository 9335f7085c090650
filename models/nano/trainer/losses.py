"""
What is trained: the letter, and each step towards it, because the letter alone teaches too slowly.

The steps: at a message, its attributes; at each listed option, what it stands for; at the end, what the answer is before
the letters are compared, and whether a yes-or-no question is negated; the comparison itself; of records, where the entry
that is asked about and the options are; and of tables, to which row and column a value belongs.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from batches import Answer, Batch
from kernels import Normed, product
from network import EPSILON, Network, turn
from prompt import Prompts

#: Blocks after which attributes and contents are read, and the head that compares.
ATTRIBUTES_AFTER, CONTENT_AFTER, MATCH_HEAD = 2, 3, 1
MATCH_BLOCK = CONTENT_AFTER + 1
#: Blocks and their heads that attend to the entry of a record that is asked about, and from the letter of an option to the
#: option there; from a value in a table to the name of its row, and to the head of its column.
GUIDED = {3: {"entry": 5, "places": 4}, 2: {"row": 4, "column": 5}}
WEIGHTS = {
    "letter": 1.0, "content": 1.0, "options": 0.5, "attributes": 0.3, "match": 0.5, "negated": 0.5, "entry": 0.8, "places": 0.3,
    "row": 0.2, "column": 0.2,
}
#: Options of one question in so many are compared with all words: most are right soon, and it takes a tenth of the time.
OPTIONS_EVERY = 4
IMPOSSIBLE = -1e4


@dataclass
class Result:
    loss: Tensor
    parts: dict[str, float]
    logits: Tensor  # answers x 26; of letters that stand for no option, IMPOSSIBLE
    contents: list[bool]  # whether the content of each answer is right
    named: float  # the share of the options compared with all words, see OPTIONS_EVERY, whose content is right


def losses(network: Network, prompts: Prompts, batch: Batch) -> Result:
    ids, positions = torch.from_numpy(batch.ids), torch.from_numpy(batch.positions)
    streams = [x.flatten(0, 1) for x in network.hidden(ids, positions, torch.from_numpy(batch.ranges), fast=True)]
    answers = batch.answers
    listed = [answer for answer in answers if answer.letters]
    at = torch.tensor([answer.at for answer in answers])
    letters = torch.tensor([place for answer in listed[::OPTIONS_EVERY] for place in answer.letters])
    compared = compared_tokens(listed)
    # Read at once, because the gradient of each reading is as large as the stream.
    reads = [at, letters, compared.flatten()]
    found_at, found_letters, found_compared = streams[CONTENT_AFTER][torch.cat(reads)].split([len(read) for read in reads])
    right = torch.tensor([answer.answer for answer in answers])
    logits = network.letter_logits(streams[-1][at], torch.tensor(prompts.letters))
    options = torch.tensor([answer.options for answer in answers])
    flat = torch.tensor([answer.flat for answer in answers])
    logits = logits.masked_fill(torch.arange(logits.shape[1]) >= options[:, None], IMPOSSIBLE)
    found = network.content_logits(found_at, network.content_norm)
    content = torch.tensor([answer.content for answer in answers])
    stands_for = torch.tensor([one for answer in listed[::OPTIONS_EVERY] for one in answer.contents])
    named = network.content_logits(found_letters, network.option_norm)
    rotation = network.rotation(positions.flatten())
    asked = {
        "entry": [(answer.at, answer.entry) for answer in answers if answer.entry is not None],
        "places": [pair for answer in answers if answer.places for pair in zip(answer.letters, answer.places)],
        **batch.links,
    }
    parts = {
        "letter": letter(logits, right, options, flat),
        "content": F.cross_entropy(found[~flat], content[~flat]),
        "options": F.cross_entropy(named, stands_for),
        "attributes": attributes(network, streams[ATTRIBUTES_AFTER], batch),
        "match": match(network, found_compared.view(*compared.shape, -1), rotation, compared, listed),
        "negated": negated(network, found_at, answers),
        **guided(network, streams, rotation, batch, asked),
    }
    loss = sum(WEIGHTS[name] * part for name, part in parts.items())
    return Result(
        loss, {name: part.item() for name, part in parts.items()}, logits, (found.argmax(1) == content).tolist(),
        (named.argmax(1) == stands_for).float().mean().item(),
    )


def letter(logits: Tensor, right: Tensor, options: Tensor, flat: Tensor) -> Tensor:
    """Minus the logarithm of the right letter's probability; of flat questions, the mean over all letters of options."""
    chances = logits.log_softmax(-1)
    one = -chances.gather(1, right[:, None]).squeeze(1)
    listed = torch.arange(logits.shape[1]) < options[:, None]
    even = -chances.masked_fill(~listed, 0).sum(1) / options
    return torch.where(flat, even, one).mean()


def attributes(network: Network, x: Tensor, batch: Batch) -> Tensor:
    """Of the message, at each of its tokens; more at later ones, which have seen more of it."""
    if not batch.states:
        return torch.zeros(())
    places, weights, values = [], [], []
    for first, last, attribute in batch.states:
        length = last - first
        places += range(first, last)
        weights += [(n + 1) / (length * (length + 1) / 2) for n in range(length)]
        values += [attribute] * length
    weight = torch.tensor(weights) / len(batch.states)
    value = torch.tensor(values)
    normal = network.attribute_norm(x[torch.tensor(places)])
    return sum(
        (F.cross_entropy(head(normal), value[:, n], reduction="none") * weight).sum()
        for n, head in enumerate(network.attributes)
    )


def negated(network: Network, found: Tensor, answers: list[Answer]) -> Tensor:
    """
    Of yes-or-no questions, whether they ask for the opposite. The answer depends on this and on the flag together, so that it
    alone teaches neither well. found: answers x width.
    """
    asked = [n for n, answer in enumerate(answers) if answer.negated is not None]
    if not asked:
        return torch.zeros(())
    logits = network.negation(network.negation_norm(found[asked])).squeeze(-1)
    return F.binary_cross_entropy_with_logits(logits, torch.tensor([float(answers[n].negated) for n in asked]))


def compared_tokens(listed: list[Answer]) -> Tensor:
    """
    What the comparing head can attend to: answers x (letters, the start token, where it rests, and the last token itself).
    Answers with fewer letters have the first one again.
    """
    most = max(answer.options for answer in listed)
    return torch.tensor(
        [answer.letters + answer.letters[:1] * (most - answer.options) + [answer.start, answer.at] for answer in listed]
    )


def match(network: Network, found: Tensor, rotation: tuple[Tensor, Tensor], tokens: Tensor, listed: list[Answer]) -> Tensor:
    """
    The weights of the comparing head, which rests at flat questions. tokens: see compared_tokens; found: the stream there.
    """
    block, head = network.blocks[MATCH_BLOCK], network.shape.head
    span = slice(MATCH_HEAD * head, (MATCH_HEAD + 1) * head)
    most = tokens.shape[1] - 2
    options = torch.tensor([answer.options for answer in listed])
    normal = block.attention_norm(found)
    cos, sin = rotation[0][tokens], rotation[1][tokens]
    q = turn(F.linear(normal[:, -1], block.q[span]), cos[:, -1], sin[:, -1])
    k = turn(F.linear(normal, block.k[span]), cos, sin)
    scores = (q[:, None] * k).sum(-1) * head**-0.5
    place = torch.arange(most + 2)
    scores = scores.masked_fill((place >= options[:, None]) & (place < most), IMPOSSIBLE)
    return F.cross_entropy(scores, torch.tensor([most if answer.flat else answer.answer for answer in listed]))


def guided(
    network: Network, streams: list[Tensor], rotation: tuple[Tensor, Tensor], batch: Batch, asked: dict[str, list]
) -> dict[str, Tensor]:
    """
    The losses of the heads of GUIDED. asked: of each name, pairs of a token and the first and last token that it must
    attend to.
    """
    found, width = {name: torch.zeros(()) for heads in GUIDED.values() for name in heads}, network.shape.head
    for number, heads in GUIDED.items():
        block = network.blocks[number]
        normal = Normed.apply(streams[number - 1], block.attention_norm.weight, EPSILON)
        for name, head in heads.items():
            if not asked.get(name):
                continue
            span = slice(head * width, (head + 1) * width)
            qk = product(normal, torch.cat([block.q[span], block.k[span]])).float()
            found[name] = attention_loss(qk[:, :width], qk[:, width:], rotation, batch, asked[name])
    return found


def attention_loss(q: Tensor, k: Tensor, rotation: tuple[Tensor, Tensor], batch: Batch, asked: list) -> Tensor:
    """
    Of an attention head, minus the logarithm of its weight on the wanted tokens, however it is divided among them. q, k:
    tokens x width, before rotation; asked: see guided.
    """
    length = batch.ids.shape[1]
    at = torch.tensor([token for token, _ in asked])
    first, last = torch.tensor([found for _, found in asked]).unbind(-1)
    row, place = at // length * length, at % length
    begin, end, own = torch.from_numpy(batch.ranges).flatten(0, 1)[at].long().unbind(-1)
    seen = torch.arange(int((place - begin).max()) + 1) + begin[:, None]
    visible = (seen < end[:, None]) | (seen >= own[:, None]) & (seen <= place[:, None])
    tokens = row[:, None] + seen.clamp(max=length - 1)
    cos, sin = rotation
    k = turn(k, cos, sin)[tokens]
    q = turn(q[at], cos[at], sin[at])
    scores = (q[:, None] * k).sum(-1) * k.shape[-1]**-0.5
    chances = scores.masked_fill(~visible, IMPOSSIBLE).log_softmax(-1)
    wanted = (tokens >= first[:, None]) & (tokens <= last[:, None]) & visible
    return -chances.masked_fill(~wanted, IMPOSSIBLE).logsumexp(-1).mean()
