import { type Place, placeOf, sealedBytes, sealInto } from '../../sealing/index.js';

/** A line of a chunk whose lines are all valid. */
export interface ValidLine {
  readonly customId: string;
  readonly model: string;
  /** A view of the file. */
  readonly bytes: Buffer;
}

/** Consecutive lines of a batch, as two encrypted values. */
export interface SealedChunk {
  /** For `batch_lines`: the lines, separated by line feeds. */
  readonly lines: Uint8Array;
  /** For `batch_ids`: see `ChunkIds`. */
  readonly ids: Uint8Array;
  /** How many lines it has. */
  readonly count: number;
}

/** The position of the first line in the batch, from 0, and each line's custom id and model. */
export interface ChunkIds {
  readonly first: number;
  readonly ids: ReadonlyArray<readonly [customId: string, model: string]>;
}

/** Encrypts consecutive lines of a batch with its data key. `room` allocates memory for the result. */
export function sealChunk(
  { batch, dataKey }: { readonly batch: string; readonly dataKey: Uint8Array },
  number: number,
  first: number,
  lines: readonly ValidLine[],
  room: (bytes: number) => Uint8Array,
): SealedChunk {
  const ids: ChunkIds = { first, ids: lines.map(({ customId, model }) => [customId, model]) };
  const sealed = (place: Place, plain: Uint8Array) => {
    const into = room(sealedBytes(plain));
    sealInto(into, dataKey, place, plain);
    return into;
  };
  return {
    lines: sealed(placeOf('batch_lines', batch, number), textOf(lines)),
    ids: sealed(placeOf('batch_ids', batch, number), Buffer.from(JSON.stringify(ids))),
    count: lines.length,
  };
}

const LINE_FEED = Buffer.from('\n');

/** The lines separated by line feeds: a view of the file if there are no blank lines among them. */
function textOf(lines: readonly ValidLine[]): Buffer {
  const [first, last] = [lines[0] as ValidLine, lines.at(-1) as ValidLine];
  const { buffer, byteOffset: start } = first.bytes;
  const length = last.bytes.byteOffset + last.bytes.length - start;
  const own = lines.reduce((sum, { bytes }) => sum + bytes.length + 1, -1);
  if (own === length) return Buffer.from(buffer, start, length);
  return Buffer.concat(lines.flatMap(({ bytes }, at) => (at === 0 ? [bytes] : [LINE_FEED, bytes])));
}
