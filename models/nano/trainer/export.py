"""Writes the model of a checkpoint as a GGUF file, with reference probabilities of the trainer's own forward pass."""

import json
from pathlib import Path
from random import Random

import numpy as np
import torch
from torch.nn import functional as F

import gguf
from bank import DEVELOPMENT, Bank
from batches import Batches, make_concepts
from network import EPSILON, Network, Shape
from prompt import TEMPLATE, Prompts, Question
from tokenizer import CONTROL, LETTERS, Tokenizer

CONTEXT_LENGTH = 2048
NORMAL, CONTROL_TYPE = 1, 3
F16 = 1
REFERENCES = 200
#: The blocks and matrices that stay in 32 bits. llama.cpp rounds what a matrix multiplies as it rounds the matrix. With the keys
#: of the first or the second block in 16 bits, by which heads find tokens, it moved probabilities by up to 3.4e-3; with these two
#: only, by up to 2.4e-3.
PRECISE = ((0, "q"), (0, "k"), (1, "k"), (2, "k"))
#: The names in the file.
MATRICES = {"q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output", "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down"}


def export(run: Path, file: Path, reference: Path) -> None:
    """Writes the file of a run's last checkpoint, and the requests whose probabilities the server must have."""
    tokenizer = Tokenizer.load(run / "tokenizer.json")
    network = rounded(load(run, tokenizer))
    gguf.write(file, metadata(network.shape, tokenizer), tensors(network))
    print(f"{file} {file.stat().st_size} bytes", flush=True)
    with reference.open("w") as lines:
        for one in references(network, tokenizer):
            lines.write(json.dumps(one, ensure_ascii=False) + "\n")


def load(run: Path, tokenizer: Tokenizer) -> Network:
    concepts = make_concepts(tokenizer)
    network = Network(Shape(), tokenizer, concepts.count, concepts.sizes())
    # All workers have the same parameters.
    step = json.loads((run / "checkpoint.json").read_text())["step"]
    network.load_state_dict(torch.load(run / f"worker-0-{step}.pt")["network"])
    return network


@torch.no_grad()
def rounded(network: Network) -> Network:
    """The network with the matrices that the file has: rounding alone moves some probabilities by 4e-3."""
    for n, block in enumerate(network.blocks):
        for name in MATRICES:
            if (n, name) not in PRECISE:
                weight = getattr(block, name)
                weight.copy_(weight.half())
    table = network.embeddings().half().float()
    network.embeddings = lambda: table
    network.embed = lambda ids: F.embedding(ids, table)
    return network


def metadata(shape: Shape, tokenizer: Tokenizer) -> dict[str, tuple[str, object]]:
    control = set(CONTROL)
    sizes = {
        "context_length": ("uint32", CONTEXT_LENGTH),
        "embedding_length": ("uint32", shape.width),
        "block_count": ("uint32", shape.layers),
        "feed_forward_length": ("uint32", shape.feed_forward),
        "attention.head_count": ("uint32", shape.heads),
        "attention.head_count_kv": ("uint32", shape.heads),
        "attention.layer_norm_rms_epsilon": ("float32", EPSILON),
        "rope.dimension_count": ("uint32", shape.head),
        "rope.freq_base": ("float32", shape.rope_base),
        "vocab_size": ("uint32", len(tokenizer.tokens)),
        "decision.type": ("string", "openjev"),
    }
    return {
        "general.architecture": ("string", "llama"),
        "general.type": ("string", "model"),
        "general.name": ("string", "decider-g-nano"),
        "general.license": ("string", "mit"),
        "general.file_type": ("uint32", F16),
        **{f"llama.{key}": value for key, value in sizes.items()},
        "tokenizer.ggml.model": ("string", "gpt2"),
        "tokenizer.ggml.pre": ("string", "smollm"),
        "tokenizer.ggml.tokens": ("string", tokenizer.tokens),
        "tokenizer.ggml.token_type": ("int32", [CONTROL_TYPE if t in control else NORMAL for t in tokenizer.tokens]),
        "tokenizer.ggml.merges": ("string", [" ".join(pair) for pair in tokenizer.merges]),
        "tokenizer.ggml.bos_token_id": ("uint32", tokenizer.ids["<s>"]),
        "tokenizer.ggml.eos_token_id": ("uint32", tokenizer.ids["</s>"]),
        "tokenizer.ggml.add_bos_token": ("bool", False),
        "tokenizer.chat_template.systemone": ("string", TEMPLATE),
    }


@torch.no_grad()
def tensors(network: Network) -> dict[str, np.ndarray]:
    """Matrices as float16 but for PRECISE, norms as float32. llama.cpp rotates pairs of neighbours, as the network does."""
    half = lambda weight: weight.numpy().astype(np.float16)
    found = {"token_embd.weight": half(network.embeddings()), "output_norm.weight": network.norm.weight.numpy()}
    for n, block in enumerate(network.blocks):
        found[f"blk.{n}.attn_norm.weight"] = block.attention_norm.weight.numpy()
        found[f"blk.{n}.ffn_norm.weight"] = block.feed_norm.weight.numpy()
        for name, written in MATRICES.items():
            weight = getattr(block, name)
            found[f"blk.{n}.{written}.weight"] = weight.numpy() if (n, name) in PRECISE else half(weight)
    return found


@torch.no_grad()
def references(network: Network, tokenizer: Tokenizer):
    """Requests with the probabilities of every option, computed in 32 bits and without temperatures."""
    prompts, random = Prompts(tokenizer), Random(7)
    source = Batches(Bank(DEVELOPMENT), prompts, make_concepts(tokenizer), random)
    for _ in range(REFERENCES):
        text, asked = [], []
        # Objects of JavaScript list keys that are numbers first, whatever the order sent.
        while not asked or asked[0].type == "choice" and any(option.name.isdigit() for option in asked[0].options):
            text, asked, *_ = source.sample(1)
        [question] = asked[:1]
        yield {"state": text, "question": question_json(question), "probabilities": answer(network, prompts, text, question)}


def answer(network: Network, prompts: Prompts, text: str, question: Question) -> list[float]:
    state, leaf = prompts.state(text), prompts.leaf(question)
    ids = torch.tensor([state + leaf.tokens])
    length = ids.shape[1]
    ranges = torch.zeros(1, length, 3, dtype=torch.int32)
    last = network.hidden(ids, torch.arange(length)[None], ranges)[-1][0, -1]
    logits = network.letter_logits(last, torch.tensor(prompts.letters[: len(question.options)]))
    return logits.softmax(-1).tolist()


def question_json(question: Question) -> dict:
    """The question as the server's API takes it."""
    asked: dict = {"type": question.type, "instructions": question.text}
    if question.type == "choice":
        described = any(option.description is not None for option in question.options)
        names = [option.name for option in question.options]
        asked["criteria"] = {option.name: option.description for option in question.options} if described else names
    elif question.type == "score":
        asked["criteria"] = [option.description for option in question.options]
    return asked

