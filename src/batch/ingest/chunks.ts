import { placeOf, seal } from '../../store/index.js';
import type { ValidLine } from './check-file.js';

/** A chunk ends with so many lines, or with the line that brings it to so many bytes, whichever comes first. */
const CHUNK_LINES_MAX = 256;
const CHUNK_BYTES = 256 * 1024;

/** Two sealed values for some lines that follow each other. */
export interface SealedChunk {
  /** For `batch_lines`: the lines, with a line feed between them. */
  readonly lines: Uint8Array;
  /** For `batch_ids`: see `IdEntry`. */
  readonly ids: Uint8Array;
}

/** The first line's place in the batch, counted from 0, and each line's custom id and model. */
export interface ChunkIds {
  readonly first: number;
  readonly ids: ReadonlyArray<readonly [customId: string, model: string]>;
}

/** Seals a batch's lines under its data key. What `share` returns crosses threads without a copy. */
export function sealChunks(
  batch: string,
  dataKey: Uint8Array,
  lines: readonly ValidLine[],
  share: (sealed: Buffer) => Uint8Array,
): SealedChunk[] {
  let first = 0;
  return split(lines).map((chunk, number) => {
    const text = textOf(chunk);
    const ids: ChunkIds = { first, ids: chunk.map(({ customId, model }) => [customId, model]) };
    first += chunk.length;
    return {
      lines: share(seal(dataKey, placeOf('batch_lines', batch, number), text)),
      ids: share(seal(dataKey, placeOf('batch_ids', batch, number), Buffer.from(JSON.stringify(ids)))),
    };
  });
}

const LINE_FEED = Buffer.from('\n');

/** The lines with a line feed between them: as they stand in the file, where no blank line is among them. */
function textOf(chunk: readonly ValidLine[]): Buffer {
  const [first, last] = [chunk[0] as ValidLine, chunk.at(-1) as ValidLine];
  const { buffer, byteOffset: start } = first.bytes;
  const length = last.bytes.byteOffset + last.bytes.length - start;
  const own = chunk.reduce((sum, { bytes }) => sum + bytes.length + 1, -1);
  if (own === length) return Buffer.from(buffer, start, length);
  return Buffer.concat(chunk.flatMap(({ bytes }, at) => (at === 0 ? [bytes] : [LINE_FEED, bytes])));
}

function split(lines: readonly ValidLine[]): ValidLine[][] {
  const chunks: ValidLine[][] = [];
  let bytes = 0;
  for (const line of lines) {
    const last = chunks.at(-1);
    if (last === undefined || last.length === CHUNK_LINES_MAX || bytes >= CHUNK_BYTES) {
      chunks.push([line]);
      bytes = 0;
    } else last.push(line);
    bytes += line.bytes.length;
  }
  return chunks;
}
