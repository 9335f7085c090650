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

/**
 * Seals a batch's lines under its data key, a chunk as soon as it is full: the lines of a whole file, each with what is
 * known of it, took as much memory as the file.
 */
export class ChunkSealer {
  private readonly chunks: SealedChunk[] = [];
  private lines: ValidLine[] = [];
  private bytes = 0;
  /** Lines in `chunks`. */
  private sealed = 0;

  /** What `share` returns crosses threads without a copy. */
  constructor(
    private readonly batch: string,
    private readonly dataKey: Uint8Array,
    private readonly share: (sealed: Buffer) => Uint8Array,
  ) {}

  add(line: ValidLine): void {
    this.lines.push(line);
    this.bytes += line.bytes.length;
    if (this.lines.length === CHUNK_LINES_MAX || this.bytes >= CHUNK_BYTES) this.sealChunk();
  }

  /** All chunks, in order. Nothing may be added any more. */
  finish(): readonly SealedChunk[] {
    if (this.lines.length > 0) this.sealChunk();
    return this.chunks;
  }

  private sealChunk(): void {
    const { batch, dataKey, share, lines } = this;
    const number = this.chunks.length;
    const ids: ChunkIds = {
      first: this.sealed,
      ids: lines.map(({ customId, model }) => [customId, model]),
    };
    this.chunks.push({
      lines: share(seal(dataKey, placeOf('batch_lines', batch, number), textOf(lines))),
      ids: share(seal(dataKey, placeOf('batch_ids', batch, number), Buffer.from(JSON.stringify(ids)))),
    });
    this.sealed += lines.length;
    this.lines = [];
    this.bytes = 0;
  }
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
