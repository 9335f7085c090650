import { type Field, fieldsOf, withField } from '../gguf-file.js';
import type { Random } from '../random.js';

/** A file that has been damaged, and how. */
export interface Mutation {
  readonly how: string;
  readonly file: Buffer;
}

type Damage = (file: Buffer, random: Random) => Mutation;

const FLIPS_MAX = 16;
const BLOCK_BYTES_MAX = 64 * 1024;

/** Values at the bounds of what 8, 32 and 64 bits hold, and small ones that divide nothing. */
const INTEGERS = [0n, 1n, 2n, 3n, 7n, 8n, 127n, 255n, 512n, 513n, 65_535n, 65_536n, 2n ** 31n - 1n].concat([
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 40n,
  2n ** 62n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n - 1n,
]);
const FLOATS = [
  0,
  -0,
  -1,
  1e-45,
  1e30,
  3.4e38,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
];

function floatBits(value: number): bigint {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return BigInt(bytes.readUInt32LE());
}

const HOSTILE = [...INTEGERS, ...FLOATS.map(floatBits)];

function hostileField(file: Buffer, random: Random, fits: (field: Field) => boolean): Mutation {
  const field = random.pick(fieldsOf(file).filter(fits));
  const value = random.number() < 0.9 ? random.pick(HOSTILE) : BigInt(random.integer(2 ** 32));
  return { how: `${field.kind} of ${field.name} = ${value}`, file: withField(file, field, value) };
}

const DAMAGES: readonly Damage[] = [
  (file, random) => {
    const changed = Buffer.from(file);
    const flips = 1 + random.integer(FLIPS_MAX);
    for (let flip = 0; flip < flips; flip++) {
      const at = random.integer(file.length);
      changed[at] = (changed[at] as number) ^ (1 << random.integer(8));
    }
    return { how: `${flips} bits flipped`, file: changed };
  },
  (file, random) => {
    const length = random.integer(file.length);
    return { how: `cut to ${length} bytes`, file: file.subarray(0, length) };
  },
  (file, random) => {
    const changed = Buffer.from(file);
    const start = random.integer(file.length);
    const end = Math.min(file.length, start + 1 + random.integer(BLOCK_BYTES_MAX));
    const byte = random.pick([0x00, 0xff, 0x7f, 0x3c]);
    return { how: `bytes ${start} to ${end} are ${byte}`, file: changed.fill(byte, start, end) };
  },
  // Twice each: what a file says of itself breaks the most.
  ...Array.from({ length: 2 }, (): readonly Damage[] => [
    (file, random) => hostileField(file, random, ({ kind }) => kind === 'length' || kind === 'count'),
    (file, random) => hostileField(file, random, ({ kind }) => kind !== 'length' && kind !== 'number'),
    (file, random) => hostileField(file, random, ({ kind }) => kind === 'number'),
  ]).flat(),
];

/** Damages a GGUF file in one way of many. */
export function mutate(file: Buffer, random: Random): Mutation {
  return random.pick(DAMAGES)(file, random);
}
