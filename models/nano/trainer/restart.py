"""
Begins a run from a model's file, for another cycle of the training.

    python3 restart.py decider-g-nano.gguf runs/1 --step 22200

The file has no parameters that only training uses. They are trained for some hundred steps, the others unchanged; then
`train.py` continues from the checkpoint.
"""

import argparse
from pathlib import Path
from random import Random

import torch

import gguf
from bank import TRAIN, Bank
from batches import Batches
from losses import losses
from network import Network, Shape
from optimizer import Optimizer
from prompt import Prompts
from tokenizer import Tokenizer
from train import CYCLES, LENGTH, QUESTIONS, ROWS, make_concepts

STEPS, RATE, SHOWN_EVERY = 500, 0.01, 50
#: The start of the names of the parameters that are in training only.
TRAINING_ONLY = ("concepts", "content_norm", "option_norm", "attribute_norm", "attributes")
BLOCK = {
    "attention_norm.weight": "attn_norm", "feed_norm.weight": "ffn_norm", "q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output",
    "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--step", type=int, required=True, help="the number of steps that the file was trained for")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    options.run.mkdir(parents=True, exist_ok=True)
    metadata, tensors = gguf.read(options.file)
    merges = [tuple(pair.split(" ")) for pair in metadata["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(metadata["tokenizer.ggml.tokens"], merges)
    tokenizer.save(options.run / "tokenizer.json")
    concepts, prompts = make_concepts(tokenizer), Prompts(tokenizer)
    network = Network(Shape(), tokenizer, concepts.count, concepts.sizes())
    copy(network, {name: torch.from_numpy(tensor.copy()).float() for name, tensor in tensors.items()})
    _, messages, kinds, tables = CYCLES[-1]
    batches = Batches(Bank(TRAIN), prompts, concepts, Random(options.seed), messages)
    batches.records.kinds_share, batches.records.tables_share = kinds, tables
    fit(network, prompts, batches)
    for parameter in network.parameters():
        parameter.requires_grad_()
    checkpoint = {"network": network.state_dict(), "optimizer": Optimizer(network).state(), "step": options.step, "tokens": 0}
    torch.save(checkpoint, options.run / "checkpoint.pt")


@torch.no_grad()
def copy(network: Network, tensors: dict[str, torch.Tensor]) -> None:
    """Sets the parameters that the file has."""
    for n, block in enumerate(network.blocks):
        for name, parameter in block.named_parameters():
            parameter.copy_(tensors[f"blk.{n}.{BLOCK[name]}.weight"])
    network.norm.weight.copy_(tensors["output_norm.weight"])
    # Each row is the vector of a word plus that of its form; the first form's vector is left as zero.
    rows, count = tensors["token_embd.weight"], len(network.contents)
    words, forms = torch.zeros(count, rows.shape[1]), torch.zeros_like(network.forms)
    sizes = torch.bincount(network.family, minlength=count)[:, None]
    for _ in range(100):
        words = torch.zeros_like(words).index_add(0, network.family, rows - forms[network.form]) / sizes
        left = rows - words[network.family]
        for form in range(1, len(forms)):
            forms[form] = left[network.form == form].mean(0)
    network.contents.copy_(words[:, : network.contents.shape[1]])
    network.meanings.copy_(words[:, network.contents.shape[1] :])
    network.forms.copy_(forms)
    print(f"embeddings are reproduced within {(network.embeddings() - rows).abs().max():.4f}")


def fit(network: Network, prompts: Prompts, batches: Batches) -> None:
    """Trains the parameters that only training uses."""
    own = []
    for name, parameter in network.named_parameters():
        if name.startswith(TRAINING_ONLY):
            own.append(parameter)
            if name.endswith("norm.weight"):
                parameter.data.fill_(0.3)
        else:
            parameter.requires_grad_(False)
    network.concepts.data.normal_(0, 0.1)
    optimizer = torch.optim.Adam(own, lr=RATE)
    for step in range(STEPS):
        result = losses(network, prompts, batches.batch(ROWS, LENGTH, QUESTIONS), fast=True)
        optimizer.zero_grad()
        result.loss.backward()
        optimizer.step()
        if (step + 1) % SHOWN_EVERY == 0:
            parts = " ".join(f"{name} {part:.3f}" for name, part in result.parts.items())
            print(f"step {step + 1}/{STEPS} {parts}", flush=True)


if __name__ == "__main__":
    main()
