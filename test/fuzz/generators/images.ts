import { mutateBytes } from '../../support/decide/mutations.js';
import { hostileFiles } from '../../support/images/hostile.js';
import { jpeg, resized, segments, withSegment } from '../../support/images/jpeg.js';
import { brokenChunk, chunk, header, png, SIGNATURE } from '../../support/images/png.js';
import type { Random } from '../../support/random.js';
import { weighted } from './chance.js';

/** Larger files would make every case that has one slow. */
const FILE_BYTES_MAX = 64 * 1024;

/** The image files that others are made of. */
export interface Corpus {
  readonly good: readonly Buffer[];
  readonly hostile: readonly Buffer[];
}

/** Makes the files, in a second or two. */
export async function imageCorpus(): Promise<Corpus> {
  const files = (await hostileFiles()).filter(({ bytes }) => bytes.length <= FILE_BYTES_MAX);
  const good = [
    png({ width: 280, height: 280 }),
    png({ interlaced: true }),
    await jpeg(),
    await jpeg({ grey: true }),
  ];
  return { good, hostile: files.map(({ bytes }) => bytes) };
}

/** The bytes of an image file, good or not, and what its sender says it is. */
export function imageFile(random: Random, { good, hostile }: Corpus): { bytes: Buffer; format: string } {
  const file = random.pick(good);
  const bytes = weighted(random, [
    [10, () => file],
    [3, () => random.pick(hostile)],
    [2, () => mutateBytes(random, file)],
    [1, () => mutateBytes(random, random.pick(hostile))],
    [2, () => mutateStructure(random, file)],
  ]);
  const isPng = bytes[0] === SIGNATURE[0];
  const format =
    random.integer(16) > 0
      ? isPng
        ? 'png'
        : 'jpeg'
      : random.pick(['png', 'jpg', 'jpeg', 'JPEG', 'gif', '']);
  return { bytes, format };
}

const SIDES = [0, 1, 279, 280, 281, 1_000, 1_568, 1_569, 30_000, 65_535];

function mutateStructure(random: Random, file: Buffer): Buffer {
  const [width, height] = [random.pick(SIDES), random.pick(SIDES)];
  return file[0] === SIGNATURE[0]
    ? mutatePng(random, file, width, height)
    : mutateJpeg(random, file, width, height);
}

/** Where each chunk of a PNG begins and ends. */
function chunksOf(file: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = SIGNATURE.length; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    found.push(file.subarray(at, end));
    at = end;
  }
  return found;
}

const CHUNK_TYPES = [
  'acTL',
  'fcTL',
  'fdAT',
  'PLTE',
  'tRNS',
  'IDAT',
  'IEND',
  'eXIf',
  'iCCP',
  'tEXt',
  'zzzz',
  'ZZZZ',
];

function mutatePng(random: Random, file: Buffer, width: number, height: number): Buffer {
  const chunks = chunksOf(file);
  const at = random.integer(chunks.length);
  const content = Buffer.from(Array.from({ length: random.integer(40) }, () => random.integer(256)));
  const samples = { type: random.integer(8), depth: random.pick([1, 2, 4, 8, 16, 3]), pixel: [0] };
  weighted(random, [
    [2, () => chunks.splice(0, 1, header(width, height))],
    [1, () => chunks.splice(0, 1, header(300, 290, samples, random.integer(2) === 0))],
    [3, () => chunks.splice(at, 0, chunk(random.pick(CHUNK_TYPES), content))],
    [
      1,
      () =>
        chunks.splice(
          at,
          0,
          chunk(random.pick(CHUNK_TYPES), content, random.pick([0, 1, 2 ** 31, 2 ** 32 - 1])),
        ),
    ],
    [1, () => chunks.splice(at, 1, brokenChunk(chunks[at] as Buffer))],
    [1, () => chunks.splice(at, 1)],
    [1, () => chunks.splice(at, 0, chunks[at] as Buffer)],
    [1, () => chunks.reverse()],
  ]);
  return Buffer.concat([SIGNATURE, ...chunks]);
}

function mutateJpeg(random: Random, file: Buffer, width: number, height: number): Buffer {
  const all = segments(file);
  const { start, end, marker } = random.pick(all);
  const content = Buffer.from(Array.from({ length: random.integer(40) }, () => random.integer(256)));
  return weighted(random, [
    [2, () => resized(file, width, height)],
    [2, () => withSegment(file, 0xc0 + random.integer(64), content)],
    [1, () => withSegment(file, 0xe1, Buffer.concat([Buffer.from('Exif\0\0'), content]))],
    [1, () => Buffer.concat([file.subarray(0, start), file.subarray(end)])],
    [1, () => Buffer.concat([file.subarray(0, end), file.subarray(start)])],
    [
      1,
      () =>
        Buffer.concat([
          file.subarray(0, start + 1),
          Buffer.from([marker ^ (1 << random.integer(8))]),
          file.subarray(start + 2),
        ]),
    ],
  ]);
}
