"""
Trains the model, from the bank to a checkpoint.

    python3 train.py --seed 1 --out runs/1

Shows progress, evaluates on the development part, writes a checkpoint every few minutes and continues from it when the
command is repeated.
"""

import argparse
import multiprocessing
import os
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from random import Random

import torch
from torch import distributed

from bank import DEVELOPMENT, HELD, TRAIN, Bank
from batches import Batch, Batches, Concepts
from losses import losses
from network import SEMANTIC, Network, Shape
from optimizer import Optimizer
from prompt import Prompts
from rewording import FEW, MANY
from semantics import word_vectors
from tokenizer import Tokenizer
from vocabulary import vocabulary
from wiring import Wiring

ROWS, LENGTH, QUESTIONS = 32, 256, 8
#: One batch in so many has long rows, so that the model sees states of several hundred tokens.
LONG_EVERY, LONG_ROWS, LONG_LENGTH = 8, 12, 640
STEPS = 27300
#: Steps and the factor of the learning rates there, see optimizer.py; linear in between.
LEARNING_RATES = (
    *((0, 0.01), (100, 1), (2200, 1), (4400, 0.01)),
    *((4500, 0.583), (5700, 0.383), (9000, 0)),
    *((9100, 0.5), (12000, 0.45), (14200, 0)),
    *((14300, 0.5), (18800, 0.45), (22200, 0)),
    *((22300, 0.6), (25200, 0.5), (STEPS, 0)),
)
#: The first batches have records only, on which the built-in copying settles.
RECORDS_FIRST = 60
#: From this step on messages are changed more: without, topics of training messages were found 12 points more often.
MANY_CHANGES_FROM = 1401
#: For each cycle: the step from which on its part of the bank is used, which was written after a run without it, and the
#: shares of messages among the states, of kinds of the bank among the records, and of tables among the other records.
CYCLES = (
    *((0, 0.62, 0.4, 0.2), (5700, 0.62, 0.4, 0.2), (9850, 0.62, 0.4, 0.2)),
    *((14200, 0.5, 0.75, 0.2), (22200, 0.5, 0.55, 0.4)),
)
#: After so many steps the workers set their parameters to the averages of all.
AVERAGE_EVERY = 10
EVALUATED_BATCHES, EVALUATE_EVERY = 8, 100
CHECKPOINT_SECONDS, PROGRESS_SECONDS = 180, 10


def main() -> None:
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.workers > 1:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        (options.out / "workers").unlink(missing_ok=True)
    others = [multiprocessing.Process(target=work, args=(options, rank)) for rank in range(1, options.workers)]
    for other in others:
        other.start()
    try:
        work(options, 0)
    finally:
        for other in others:
            other.terminate()


def work(options: argparse.Namespace, rank: int) -> None:
    """One of the workers, each of which trains on its own batches. The first shows progress and writes the checkpoints."""
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    if options.workers > 1:
        store = f"file://{(options.out / 'workers').resolve()}"
        distributed.init_process_group("gloo", init_method=store, rank=rank, world_size=options.workers)
    tokens = options.out / "tokenizer.json"
    if not tokens.exists() and rank == 0:
        vocabulary().save(tokens)
    if options.workers > 1:
        distributed.barrier()
    tokenizer = Tokenizer.load(tokens)
    prompts = Prompts(tokenizer)
    concepts = make_concepts(tokenizer)
    network = Network(Shape(), tokenizer, concepts.count, concepts.sizes())
    saved = options.out / "checkpoint.pt"
    begun = tokens_before = 0
    if not saved.exists():
        print("word vectors …", flush=True)
        vectors, heads = word_vectors(tokenizer, concepts, Bank(TRAIN, cycle=1), SEMANTIC, options.seed)
        Wiring(network, prompts, options.seed, vectors, heads).apply()
    optimizer = Optimizer(network)
    if saved.exists():
        checkpoint = torch.load(saved)
        network.load_state_dict(checkpoint["network"])
        optimizer.restore(checkpoint["optimizer"])
        begun, tokens_before = checkpoint["step"], checkpoint["tokens"]
        print(f"continues at step {begun}", flush=True)
    development = evaluation_batches(prompts, concepts)
    queue: multiprocessing.Queue = multiprocessing.Queue(8)
    feeder = multiprocessing.Process(target=feed, args=(queue, tokens, options, rank, begun))
    feeder.start()
    try:
        run(options, rank, network, optimizer, prompts, queue, development, begun, tokens_before)
    finally:
        feeder.terminate()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=STEPS, help="for a trial: the number of steps after which to stop")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2, help="of each worker")
    parser.add_argument("--workers", type=int, default=1, help="processes that each train on their own batches")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


def make_concepts(tokenizer: Tokenizer) -> Concepts:
    everything = [message.intent for part in (TRAIN, DEVELOPMENT, HELD) for message in Bank(part).messages]
    return Concepts(tokenizer.families(), everything)


def evaluation_batches(prompts: Prompts, concepts: Concepts) -> list[Batch]:
    batches = Batches(Bank(DEVELOPMENT), prompts, concepts, Random(0))
    return [batches.batch(ROWS, LENGTH) for _ in range(EVALUATED_BATCHES)]


def feed(queue: multiprocessing.Queue, tokens: Path, options: argparse.Namespace, rank: int, begun: int) -> None:
    """Makes the batches. Each has its own seed, so that a continued run gets the same ones."""
    tokenizer = Tokenizer.load(tokens)
    random = Random(0)
    prompts, concepts = Prompts(tokenizer), make_concepts(tokenizer)
    cycles = [Batches(Bank(TRAIN, cycle + 1), prompts, concepts, random) for cycle in range(len(CYCLES))]
    for step in range(begun, options.steps):
        cycle = sum(step >= first for first, *_ in CYCLES) - 1
        batches, (_, messages, kinds, tables) = cycles[cycle], CYCLES[cycle]
        random.seed(f"{options.seed} {step}" + (f" {rank}" if rank else ""))
        batches.mix = 0 if step < RECORDS_FIRST else messages
        batches.records.kinds_share, batches.records.tables_share = kinds, tables
        batches.messages.rewording.changes = FEW if step < MANY_CHANGES_FROM else MANY
        long = step % LONG_EVERY == LONG_EVERY - 1
        queue.put(batches.batch(LONG_ROWS if long else ROWS, LONG_LENGTH if long else LENGTH, QUESTIONS))


def run(options, rank: int, network: Network, optimizer: Optimizer, prompts: Prompts, queue, development, begun: int, tokens_before: int) -> None:
    started = shown = stored = time.time()
    tokens, sums = 0, defaultdict(float)
    if begun == 0 and rank == 0:
        evaluate(options, network, prompts, development, 0, 0)
    for step in range(begun, options.steps):
        batch = queue.get()
        result = losses(network, prompts, batch, fast=True)
        result.loss.backward()
        optimizer.step(learning_rate(step))
        done = step + 1 == options.steps
        if options.workers > 1 and (done or (step + 1) % AVERAGE_EVERY == 0):
            average(network, options.workers)
        if rank > 0:
            continue
        tokens += batch.used
        for name, part in result.parts.items():
            sums[name] = 0.98 * sums[name] + 0.02 * part if name in sums else part
        now = time.time()
        if now - shown > PROGRESS_SECONDS:
            shown = now
            rate = tokens / (now - started)
            remaining = (options.steps - step) * (now - started) / (step + 1 - begun)
            parts = " ".join(f"{name} {part:.3f}" for name, part in sums.items())
            print(f"step {step + 1}/{options.steps} {rate:.0f} tokens/s {remaining / 60:.0f} min left {parts}", flush=True)
        if done or (step + 1) % EVALUATE_EVERY == 0:
            evaluate(options, network, prompts, development, step + 1, tokens_before + options.workers * tokens)
        if done or now - stored > CHECKPOINT_SECONDS:
            stored = now
            checkpoint = {"network": network.state_dict(), "optimizer": optimizer.state(), "step": step + 1, "tokens": tokens_before + options.workers * tokens}
            torch.save(checkpoint, options.out / "checkpoint.partial")
            (options.out / "checkpoint.partial").rename(options.out / "checkpoint.pt")


@torch.no_grad()
def average(network: Network, workers: int) -> None:
    """Sets the parameters of all workers to their averages (local SGD: Stich, 2018)."""
    parameters = list(network.parameters())
    flat = torch.cat([parameter.flatten() for parameter in parameters])
    distributed.all_reduce(flat)
    for parameter, part in zip(parameters, flat.div_(workers).split([parameter.numel() for parameter in parameters])):
        parameter.copy_(part.view_as(parameter))


def learning_rate(step: int) -> float:
    """The factor of the learning rates at a step."""
    for (before, low), (after, high) in pairwise(LEARNING_RATES):
        if step < after:
            break
    return low + (high - low) * (step - before) / (after - before)


@torch.no_grad()
def evaluate(options, network: Network, prompts: Prompts, batches: list[Batch], step: int, tokens: int) -> None:
    """Appends accuracies on the development part to curve.tsv and prints them."""
    families: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    named: list[float] = []
    for batch in batches:
        result = losses(network, prompts, batch, fast=True)
        for answer, right, content in zip(batch.answers, result.logits.argmax(1).tolist(), result.contents):
            counts = families[f"{answer.family}{'?' if answer.type == 'noul' else ''}"]
            counts[0] += 1
            counts[1] += right == answer.answer
            counts[2] += content
        named.append(result.named)
    total = [sum(counts[n] for counts in families.values()) for n in range(3)]
    shares = {name: f"{counts[1] / counts[0]:.3f}" for name, counts in sorted(families.items())}
    print(f"development at step {step}: {total[1] / total[0]:.4f} (content {total[2] / total[0]:.3f}, options {sum(named) / len(named):.3f})", flush=True)
    print("  " + " ".join(f"{name} {share}" for name, share in shares.items()), flush=True)
    curve = options.out / "curve.tsv"
    if not curve.exists():
        curve.write_text("step\ttokens\taccuracy\t" + "\t".join(shares) + "\n")
    with curve.open("a") as lines:
        lines.write(f"{step}\t{tokens}\t{total[1] / total[0]:.4f}\t" + "\t".join(shares.values()) + "\n")


if __name__ == "__main__":
    main()
