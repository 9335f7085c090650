"""What changes in the course of the training: learning rates, and the mix of the states."""

from itertools import pairwise
from random import Random

from bank import TRAIN, Bank
from batches import Batches, Concepts
from prompt import Prompts
from rewording import FEW, MANY

#: With two workers, see train.py: 183 million tokens.
STEPS = 11_800
#: Steps and the factor of the learning rates there, see optimizer.py; linear in between.
LEARNING_RATES = ((0, 0.01), (100, 1), (5000, 1), (STEPS, 0))
#: The first batches have records only, on which the built-in copying settles.
RECORDS_FIRST = 60
#: How much messages are changed, from which step on. With FEW only, after 1,400 steps of one worker, topics of training messages
#: were found 12 points more often than those of others; 700 steps of two workers read as much.
CHANGES = ((0, FEW), (701, MANY))
#: Shares of states near the domain, and of the others with a question that they do not answer, see unknown.py.
UNKNOWN, BESIDE = 0.07, 0.08
#: Shares of messages among the other states, of kinds of the bank among the records, and of tables among the other records.
MESSAGES, KINDS, TABLES = 0.5, 0.6, 0.3


def training_batches(prompts: Prompts, concepts: Concepts, random: Random) -> Batches:
    batches = Batches(Bank(TRAIN), prompts, concepts, random)
    batches.records.kinds_share, batches.records.tables_share = KINDS, TABLES
    batches.beside_share = BESIDE
    return batches


def mix(batches: Batches, step: int) -> None:
    """Sets what changes from step to step."""
    batches.unknown_share = 0 if step < RECORDS_FIRST else UNKNOWN
    batches.mix = 0 if step < RECORDS_FIRST else MESSAGES
    batches.messages.rewording.changes = [changes for first, changes in CHANGES if step >= first][-1]


def learning_rate(step: int) -> float:
    """The factor of the learning rates at a step."""
    for (before, low), (after, high) in pairwise(LEARNING_RATES):
        if step < after:
            break
    return low + (high - low) * (step - before) / (after - before)
