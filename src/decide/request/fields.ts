import { BYTE } from './bytes.js';

/** Bytes `start` (inclusive) to `end` (exclusive) of a body. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Collects the byte ranges of some top-level fields' values. The scan reports each string, colon and entry end at the
 * top level. The last value of a repeated field counts, as for `JSON.parse`.
 */
export class FieldRanges {
  readonly ranges = new Map<string, ByteRange>();
  private key: string | undefined;
  private afterKey = false;
  private valueStart: number | undefined;

  /** @param names the fields to find: letters, digits and `_` only */
  constructor(
    private readonly body: Buffer,
    private readonly names: readonly string[],
  ) {}

  /** Reports a top-level string; the first of an entry is its key. `start`: its opening quote. */
  string(start: number, end: number): void {
    if (this.afterKey) return;
    this.key = this.names.find((name) => keyIs(this.body, start + 1, end - 1, name));
    this.afterKey = true;
  }

  colon(at: number): void {
    this.valueStart = at + 1;
  }

  /** Reports a comma or the closing brace, which ends the entry. */
  entryEnd(at: number): void {
    if (this.key !== undefined && this.valueStart !== undefined) {
      this.ranges.set(this.key, { start: this.valueStart, end: at });
    }
    this.key = undefined;
    this.afterKey = false;
    this.valueStart = undefined;
  }
}

/**
 * Whether the JSON string between `start` and `end` (without quotes) equals `name`, escaped or not. Only the escape
 * `\uXXXX` can stand for a letter, a digit or `_`.
 */
function keyIs(body: Buffer, start: number, end: number, name: string): boolean {
  let at = start;
  for (let index = 0; index < name.length; index += 1) {
    if (at >= end) return false;
    const escaped = body[at] === BYTE.backslash;
    const code = escaped ? unicodeEscape(body, at) : body[at];
    if (code !== name.charCodeAt(index)) return false;
    at += escaped ? 6 : 1;
  }
  return at === end;
}

/** The code unit of the `\uXXXX` at `at`, or NaN if there is no such escape. */
function unicodeEscape(body: Buffer, at: number): number {
  if (body[at + 1] !== BYTE.u) return Number.NaN;
  return Number(`0x${body.toString('latin1', at + 2, at + 6)}`);
}
