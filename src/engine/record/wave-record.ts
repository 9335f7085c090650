import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** The number of the preparing threads, together. Lanes are numbered from 1. */
export const PREPARING = 0;
/** What `abort.cc` writes for a thread without a number: one of ggml's own. */
const UNNUMBERED = -1;

/** Bytes for the labels of one thread; more labels than fit are left out. A label of a batch line has 36. */
export const SLOT_BYTES = 16 * 1024;

const LABELS_FILE = 'in-flight';
const ABORT_FILE = 'in-flight.abort';

/** How the last process on a folder was ended by llama.cpp, or by a wave that did not end. */
export interface Abort {
  /** Differs for each abort. */
  readonly id: string;
  /** llama.cpp's words, or this program's: nothing of callers. */
  readonly reason: string;
  /** What was in progress on the thread that ended the process; on all threads if it is not known which. */
  readonly labels: readonly string[];
}

/**
 * Records, in a file of the data folder, which labelled plans each thread works on, so that the next process knows what
 * may have ended this one. The file is not synchronized to the disk: it has to survive the process, not the machine.
 * Writing takes a few microseconds. On a full disk nothing is recorded, and after an abort no plan is suspected.
 */
export class WaveRecord {
  private readonly file: number;
  private readonly used = new Set<number>();

  constructor(private readonly folder: string) {
    this.file = openSync(join(folder, LABELS_FILE), 'w', 0o600);
    ftruncateSync(this.file, 0);
  }

  /** The file in which the addon reports an abort. */
  get abortFile(): string {
    return join(this.folder, ABORT_FILE);
  }

  /** A thread works on plans with these labels, and on nothing else that has one. */
  begin(thread: number, labels: readonly string[]): void {
    if (labels.length === 0 && !this.used.has(thread)) return;
    if (labels.length === 0) this.used.delete(thread);
    else this.used.add(thread);
    const text = Buffer.from(`${fitting(labels).join('\n')}\0`);
    ignoringErrors(() => writeSync(this.file, text, 0, text.length, thread * SLOT_BYTES));
  }

  /** The process will be ended because a thread does not end its work: for the next process, as if it had aborted. */
  abandon(thread: number, reason: string): void {
    ignoringErrors(() => writeFileSync(this.abortFile, `${thread} ${reason}\n`, { mode: 0o600 }));
  }

  close(): void {
    closeSync(this.file);
  }
}

function ignoringErrors(write: () => void): void {
  try {
    write();
  } catch {
    // See `WaveRecord`.
  }
}

/** How the last process ended; null unless it left a report of an abort. */
export function readAbort(folder: string): Abort | null {
  let text: string;
  let id: string;
  try {
    const path = join(folder, ABORT_FILE);
    text = readFileSync(path, 'utf8');
    id = String(statSync(path, { bigint: true }).mtimeNs);
  } catch {
    return null;
  }
  const [, thread = String(UNNUMBERED), reason = ''] = /^(-?\d+) (.*)/.exec(text) ?? [];
  return { id, reason, labels: readLabels(folder, Number(thread)) };
}

/** Removes the report, once it has been counted. */
export function forgetAbort(folder: string): void {
  rmSync(join(folder, ABORT_FILE), { force: true });
}

function readLabels(folder: string, thread: number): string[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(folder, LABELS_FILE));
  } catch {
    return [];
  }
  const slots = Array.from({ length: Math.ceil(bytes.length / SLOT_BYTES) }, (_, slot) =>
    labelsOf(bytes.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES)),
  );
  return [...new Set(thread === UNNUMBERED ? slots.flat() : (slots[thread] ?? []))];
}

function labelsOf(slot: Buffer): string[] {
  const end = slot.indexOf(0);
  return end <= 0 ? [] : slot.toString('latin1', 0, end).split('\n');
}

/** The first labels that fit into a slot. */
function fitting(labels: readonly string[]): readonly string[] {
  let left = SLOT_BYTES;
  const end = labels.findIndex((label) => {
    left -= label.length + 1;
    return left < 0;
  });
  return end < 0 ? labels : labels.slice(0, end);
}
