import { type Place, placeOf, sealedBytes, sealInto } from '../../sealing/index.js';

/** The version of a task that a line asks: the one in use when the line was submitted. */
export interface LineTask {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

/** A line of a chunk whose lines are all valid. */
export interface ValidLine {
  readonly customId: string;
  readonly model: string;
  /** Null: it has questions of its own. */
  readonly task: LineTask | null;
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
  /** `task`: its index in `tasks`; absent: the line has questions of its own. */
  readonly ids: ReadonlyArray<readonly [customId: string, model: string, task?: number]>;
  /** The tasks that the lines ask, each once; absent: they ask none. */
  readonly tasks?: readonly LineTask[];
}

/** Encrypts consecutive lines of a batch with its data key. `room` allocates memory for the result. */
export function sealChunk(
  { batch, dataKey }: { readonly batch: string; readonly dataKey: Uint8Array },
  number: number,
  first: number,
  lines: readonly ValidLine[],
  room: (bytes: number) => Uint8Array,
): SealedChunk {
  const ids = idsOf(first, lines);
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

function idsOf(first: number, lines: readonly ValidLine[]): ChunkIds {
  const tasks = [...new Set(lines.flatMap(({ task }) => task ?? []))];
  const ids = lines.map(({ customId, model, task }): ChunkIds['ids'][number] =>
    task === null ? [customId, model] : [customId, model, tasks.indexOf(task)],
  );
  return tasks.length === 0 ? { first, ids } : { first, ids, tasks };
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
