"""`attention.c` as a function of PyTorch."""

import ctypes
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

import torch
from torch import Tensor

SOURCE = Path(__file__).with_name("attention.c")
FLAGS = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC", "-lm"]


def _build() -> ctypes.CDLL:
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    library = Path(tempfile.gettempdir()) / f"nano-attention-{digest}-{os.getuid()}.so"
    if not library.exists():
        partial = library.with_suffix(f".{os.getpid()}")
        subprocess.run([os.environ.get("CC", "cc"), str(SOURCE), "-o", str(partial), *FLAGS], check=True)
        partial.rename(library)
    return ctypes.CDLL(str(library))


_library = None


def _call(name: str, *arguments: Tensor | int) -> None:
    global _library
    if _library is None:
        _library = _build()
    values = [
        ctypes.c_void_p(one.data_ptr()) if isinstance(one, Tensor) else ctypes.c_int(one) for one in arguments
    ]
    getattr(_library, name)(*values)


class Attend(torch.autograd.Function):
    """
    qkv: rows x length x 3 x heads x 32; angles: rows x length x 16 x {cos, sin}; ranges: rows x length x 3 (int32).
    Returns rows x length x heads x 32.
    """

    @staticmethod
    def forward(context, qkv: Tensor, angles: Tensor, ranges: Tensor) -> Tensor:
        qkv = qkv.contiguous()
        rows, length, _, heads, head = qkv.shape
        out = torch.empty(rows, length, heads, head)
        _call("attend", out, qkv, angles, ranges, rows, length, heads)
        context.save_for_backward(qkv, angles, ranges)
        return out

    @staticmethod
    def backward(context, dout: Tensor):
        qkv, angles, ranges = context.saved_tensors
        rows, length, _, heads, _ = qkv.shape
        dqkv = torch.empty_like(qkv)
        _call("attend_backward", dqkv, dout.contiguous(), qkv, angles, ranges, rows, length, heads)
        return dqkv, None, None
