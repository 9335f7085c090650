import { type DeciderError, isTemporaryStatus } from '../../client/index.js';

/** A line of a batch file that the server refused. */
export interface RefusedLine {
  readonly line: number;
  readonly type: string;
  readonly error: string;
}

/** A call that was refused, or did not reach the server. */
export class CallError extends Error {
  override readonly name = 'CallError';

  constructor(
    /** Null: there was no response. */
    readonly status: number | null,
    readonly type: string,
    message: string,
    readonly retryAfterSeconds: number | null = null,
    readonly requestId: string | null = null,
    readonly lines: readonly RefusedLine[] = [],
    readonly invalidLines = 0,
    /** The field of the request that is wrong; null if none is named. */
    readonly field: string | null = null,
    /** Of `too_few_labels`: what each question has and needs. */
    readonly questions: DeciderError['questions'] = {},
  ) {
    super(message);
  }

  /** Whether the same call may succeed later. */
  get isTemporary(): boolean {
    return this.status === null || isTemporaryStatus(this.status);
  }
}

/** Errors of 500 and above with which the server says that nothing was changed. */
const UNCHANGED = ['data_unavailable', 'http_version_not_supported'];

/** Whether it is not known if a change was made: the response was lost, or the server failed. */
export const isLost = (error: unknown): error is CallError =>
  error instanceof CallError &&
  (error.status === null || (error.status >= 500 && !UNCHANGED.includes(error.type)));

/** The type of a call that got no response. */
export const UNREACHABLE = 'unreachable';

/** What to do about an error, by its type. Types without an entry are explained by their message. */
export type Remedies = Readonly<Record<string, string>>;

/** Whether a message says that a request is longer than its model can read; its type is that of the question. */
export const isTooLong = (message: string): boolean => message.includes('context window');

/** What to do about an error; null if its message says it. */
export function remedyOf(
  { type, message, retryAfterSeconds }: Pick<CallError, 'type' | 'message' | 'retryAfterSeconds'>,
  remedies: Remedies,
): string | null {
  if (isTooLong(message)) return 'Shorten the state, or the question.';
  const remedy = Object.hasOwn(remedies, type) ? (remedies[type] as string) : null;
  if (retryAfterSeconds === null) return remedy;
  const seconds = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return `${remedy === null ? '' : `${remedy} `}(The server asks to wait ${seconds}.)`;
}
