"""Makes pillow.json: sizes by the rule published with Gemma 4, and what Pillow's bicubic resize makes of known pixels.

    python3 test/images/pillow.py > test/images/pillow.json      (Debian: apt-get install python3-pil)
"""

import hashlib
import json
import math
import random
from PIL import Image

BUDGETS = (70, 140, 280)
# Where a side comes out even: rounding decides.
EVEN = ((325, 910), (410, 287), (455, 650), (544, 595), (545, 1526), (560, 560), (1120, 280), (1568, 1568), (280, 280))
RESIZED = (
    ((280, 280), (384, 384)),
    ((280, 280), (768, 768)),
    ((1568, 1568), (384, 384)),
    ((1568, 280), (1872, 336)),
    ((1568, 280), (912, 144)),
    ((333, 1000), (432, 1344)),
    ((700, 1301), (288, 528)),
    ((640, 480), (624, 480)),
    ((480, 480), (480, 480)),
    ((5, 3), (48, 48)),
    ((97, 61), (1, 1)),
)


def grid(width, height, tokens, patch=16, pool=3):
    factor = math.sqrt((tokens * pool**2) * (patch**2) / (height * width))
    side = pool * patch
    return int(math.floor(factor * width / side)) * side, int(math.floor(factor * height / side)) * side


def pixel(x, y, channel):
    return (x * x * 7 + y * 31 + x * y * (channel + 1) + channel * 85) & 255


def made(size, to):
    data = bytes(pixel(x, y, c) for y in range(size[1]) for x in range(size[0]) for c in range(3))
    return Image.frombytes("RGB", size, data).resize(to, Image.BICUBIC).tobytes()


source = random.Random(1)
sizes = [*EVEN, *((source.randint(280, 1568), source.randint(280, 1568)) for _ in range(500))]
print(
    json.dumps(
        {
            "grids": [[*size, *(side for tokens in BUDGETS for side in grid(*size, tokens))] for size in sizes],
            "resized": [[*size, *to, hashlib.sha256(made(size, to)).hexdigest()] for size, to in RESIZED],
        }
    ).replace("], [", "],\n[")
)
