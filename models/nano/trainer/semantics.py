"""
Word vectors from which a message's attributes can be read off by averaging.

They take half a minute and give the network its start: trained from random vectors, attributes stayed at the level of
guessing for 500 steps.
"""

from random import Random

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bank import Bank, Label
from batches import Concepts
from messages import Messages
from tokenizer import Tokenizer

STEPS, RATE, DECAY = 1_200, 0.01, 0.02
MESSAGES, LABELS = 192, 96
#: The attribute of concepts.attributes() that the labels of each file name.
LABELLED = {"topic": 0, "team": 0, "intent": 1, "sentiment": 2, "anger": 3, "urgency": 4}


def word_vectors(
    tokenizer: Tokenizer, concepts: Concepts, bank: Bank, width: int, seed: int, steps: int = STEPS
) -> tuple[Tensor, nn.ModuleList]:
    """A vector for each family of words, and a linear layer for each attribute, over averages of the vectors."""
    torch.manual_seed(seed)
    random = Random(seed)
    messages = Messages(bank, random)
    families = tokenizer.families()
    vectors = nn.EmbeddingBag(concepts.first, width, mode="mean")
    nn.init.normal_(vectors.weight, std=0.1)
    heads = nn.ModuleList(nn.Linear(width, size) for size in concepts.sizes())
    optimizer = torch.optim.AdamW([*vectors.parameters(), *heads.parameters()], lr=RATE, weight_decay=DECAY)
    labels = list(_labels(bank, concepts))

    def average(texts: list[str]) -> Tensor:
        tokens = [[families[token] for token in tokenizer.encode(text)] or [0] for text in texts]
        starts = torch.tensor([0, *(len(one) for one in tokens)])[:-1].cumsum(0)
        return vectors(torch.tensor([token for one in tokens for token in one]), starts)

    for step in range(steps):
        drawn = [messages.draw() for _ in range(MESSAGES)]
        values = torch.tensor([concepts.attributes(message) for message in drawn])
        z = average([message.text for message in drawn])
        loss = sum(F.cross_entropy(head(z), values[:, n]) for n, head in enumerate(heads))
        chosen = random.sample(labels, LABELS)
        z = average([_text(label, random) for label, _, _ in chosen])
        for n, head in enumerate(heads):
            rows = [row for row, (_, attribute, _) in enumerate(chosen) if attribute == n]
            if rows:
                loss = loss + 0.5 * F.cross_entropy(head(z[rows]), torch.tensor([chosen[row][2] for row in rows]))
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, 2 * (1 - step / steps))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return vectors.weight.detach(), heads


def _labels(bank: Bank, concepts: Concepts):
    values = (concepts.topics, concepts.intents, ["neg", "neu", "pos"], ["calm", "angry"], ["0", "1", "2", "3"])
    for kind, attribute in LABELLED.items():
        for label in bank.labels.get(kind, []):
            yield label, attribute, values[attribute].index(label.meaning)


def _text(label: Label, random: Random) -> str:
    if label.description is None:
        return label.name
    return random.choice((label.name, label.description, f"{label.name} {label.description}"))
