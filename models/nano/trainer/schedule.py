"""What changes in the course of the training: learning rates, parts of the bank, and the mix of the states."""

from itertools import pairwise

from batches import Batches
from rewording import FEW, MANY, MORE_SYNONYMS

STEPS = 36000
#: Steps and the factor of the learning rates there, see optimizer.py; linear in between. A row for each cycle.
LEARNING_RATES = (
    (0, 0.01), (100, 1), (2200, 1), (4400, 0.01),
    (4500, 0.583), (5700, 0.383), (9000, 0),
    (9100, 0.5), (12000, 0.45), (14200, 0),
    (14300, 0.5), (18800, 0.45), (22200, 0),
    (22300, 0.6), (25200, 0.5), (27300, 0),
    (27400, 0.6), (32800, 0.5), (STEPS, 0),
)
#: The first batches have records only, on which the built-in copying settles.
RECORDS_FIRST = 60
#: How much messages are changed, from which step on. With FEW, at step 1,400, the topics of training messages were found
#: 12 points more often than those of others.
CHANGES = ((0, FEW), (1401, MANY), (27300, MORE_SYNONYMS))
#: For each cycle: the step from which on its part of the bank is used, which was written after a run without it, and the
#: shares of messages among the states, of kinds of the bank among the records, and of tables among the other records.
CYCLES = (
    (0, 0.62, 0.4, 0.2),
    (5700, 0.62, 0.4, 0.2),
    (9850, 0.62, 0.4, 0.2),
    (14200, 0.5, 0.75, 0.2),
    (22200, 0.5, 0.55, 0.4),
    (27300, 0.5, 0.65, 0.3),
)


def cycle_of(step: int) -> int:
    """The cycle of a step, from 1."""
    return sum(step >= first for first, *_ in CYCLES)


def mix(batches: Batches, step: int) -> None:
    """Sets the shares of a step."""
    _, messages, kinds, tables = CYCLES[cycle_of(step) - 1]
    batches.mix = 0 if step < RECORDS_FIRST else messages
    batches.records.kinds_share, batches.records.tables_share = kinds, tables
    batches.messages.rewording.changes = [changes for first, changes in CHANGES if step >= first][-1]


def learning_rate(step: int) -> float:
    """The factor of the learning rates at a step."""
    for (before, low), (after, high) in pairwise(LEARNING_RATES):
        if step < after:
            break
    return low + (high - low) * (step - before) / (after - before)
