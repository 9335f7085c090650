"""Writes GGUF files, version 3 (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md)."""

import struct
from pathlib import Path

import numpy as np

ALIGNMENT = 32
VERSION = 3
#: The number of each type of value, and how `struct` packs it.
TYPES = {"uint32": (4, "<I"), "int32": (5, "<i"), "float32": (6, "<f"), "bool": (7, "<?"), "string": (8, None)}
ARRAY = 9
TENSOR_TYPES = {np.dtype(np.float32): 0, np.dtype(np.float16): 1}


def write(path: Path, metadata: dict[str, tuple[str, object]], tensors: dict[str, np.ndarray]) -> None:
    """
    metadata: a type of TYPES with a value; a list is an array of that type.
    tensors: float16 or float32, in NumPy's order of dimensions, which GGUF reverses.
    """
    header = bytearray(b"GGUF" + struct.pack("<IQQ", VERSION, len(tensors), len(metadata)))
    for key, (type, value) in metadata.items():
        header += _string(key)
        if isinstance(value, list):
            header += struct.pack("<IIQ", ARRAY, TYPES[type][0], len(value))
            header += b"".join(_scalar(type, one) for one in value)
        else:
            header += struct.pack("<I", TYPES[type][0]) + _scalar(type, value)
    offset = 0
    for name, tensor in tensors.items():
        shape = tensor.shape[::-1]
        header += _string(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        header += struct.pack("<IQ", TENSOR_TYPES[tensor.dtype], offset)
        offset += len(_padded(tensor.tobytes()))
    with path.open("wb") as file:
        file.write(_padded(bytes(header)))
        for tensor in tensors.values():
            file.write(_padded(tensor.tobytes()))


def _scalar(type: str, value) -> bytes:
    return _string(value) if type == "string" else struct.pack(TYPES[type][1], value)


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNMENT)
