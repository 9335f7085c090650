/** A line of the log, without its fields. */
interface RecentLine {
  /** Counts the lines from 1. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly level: string;
  readonly message: string;
  /** The class of the error; null if there is none. */
  readonly type: string | null;
  readonly requestId: string | null;
  /** The field `reason`, a sentence of this program that says why; null if there is none. */
  readonly reason: string | null;
}

/** Lines that are kept; each further one removes the oldest. */
export const LOG_LINES_KEPT = 200;
/** Characters of a message and of a reason; longer ones are cut. */
const MESSAGE_CHARACTERS_MAX = 500;

/**
 * The last warnings and errors of a log. Of the fields of a line only the class of its error, the id of its request and
 * the reason are kept: messages and reasons are sentences of this program, whereas the text of an error may come from
 * anywhere.
 */
export class RecentLines {
  private readonly kept: RecentLine[] = [];
  private count = 0;

  /** @param now the calendar, in milliseconds */
  constructor(private readonly now: () => number) {}

  /** Newest first. */
  get lines(): readonly RecentLine[] {
    return [...this.kept].reverse();
  }

  /** @param args what a method of the log was called with: fields and a message, or a message */
  add(level: string, [first, second]: readonly unknown[]): void {
    const fields =
      typeof first === 'object' && first !== null ? (first as Readonly<Record<string, unknown>>) : {};
    const { err, requestId, reason } = fields;
    this.count += 1;
    this.kept.push({
      number: this.count,
      at: this.now(),
      level,
      message: messageOf(typeof first === 'string' ? first : second, fields),
      type: err instanceof Error ? err.constructor.name : null,
      requestId: typeof requestId === 'string' ? requestId : null,
      reason: typeof reason === 'string' ? reason.slice(0, MESSAGE_CHARACTERS_MAX) : null,
    });
    if (this.kept.length > LOG_LINES_KEPT) this.kept.shift();
  }
}

function messageOf(message: unknown, fields: Readonly<Record<string, unknown>>): string {
  if (typeof message === 'string') return message.slice(0, MESSAGE_CHARACTERS_MAX);
  return 'llama' in fields ? 'llama.cpp has reported an error; the log has its text' : '';
}
