import { ApiError } from '../api/index.js';
import type { Clock } from '../base/index.js';
import type { Incoming } from './transport/index.js';

/** How long a body may take. */
export interface BodyDeadlines {
  /** Milliseconds without a further byte. */
  readonly stallMs: number;
  /** Milliseconds in all. */
  readonly totalMs: number;
}

/**
 * Collects a body of exactly `length` bytes. Call it before the first await of a handler. Rejects with
 * `request_timeout` when a deadline passes, and with the signal's reason when the client goes away.
 *
 * The one buffer of `allocate` is taken with the first byte and never copied. Where it is new, its pages are not
 * touched before bytes arrive, so that a client which announces 32 MiB and sends none of it costs no memory.
 */
export function collectBody(
  incoming: Incoming,
  length: number,
  deadlines: BodyDeadlines,
  clock: Clock,
  allocate: () => Buffer = () => Buffer.allocUnsafeSlow(length),
): Promise<Buffer> {
  if (length === 0) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    let body: Buffer | undefined;
    let received = 0;
    let settled = false;
    const settle = (act: () => void) => {
      if (settled) return;
      settled = true;
      body = undefined;
      progress.stop();
      incoming.signal.removeEventListener('abort', gone);
      act();
    };
    const gone = () => settle(() => reject(incoming.signal.reason));
    const progress = watchProgress(deadlines, clock, () => settle(() => reject(late(received, length))));
    incoming.signal.addEventListener('abort', gone);
    incoming.onBody((chunk) => {
      if (settled) return;
      body ??= allocate();
      body.set(chunk, received);
      received += chunk.byteLength;
      progress.made();
      const whole = body;
      if (received === length) settle(() => resolve(whole));
    });
  });
}

function late(received: number, length: number): ApiError {
  return new ApiError('request_timeout', `Only ${received} of ${length} bytes of the body arrived in time.`);
}

/** Calls back once when a deadline passes. One timer serves both: progress moves the deadline, not the timer. */
function watchProgress(
  { stallMs, totalMs }: BodyDeadlines,
  clock: Clock,
  onLate: () => void,
): { made(): void; stop(): void } {
  const end = clock.monotonic() + totalMs;
  let due = Math.min(end, clock.monotonic() + stallMs);
  let cancel: () => void;
  const arm = () => {
    cancel = clock.after(Math.max(1, Math.ceil(due - clock.monotonic())), () => {
      if (clock.monotonic() >= due) onLate();
      else arm();
    });
  };
  arm();
  return {
    made() {
      due = Math.min(end, clock.monotonic() + stallMs);
    },
    stop: () => cancel(),
  };
}
