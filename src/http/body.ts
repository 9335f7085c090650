import { ApiError } from '../api/index.js';
import type { Clock } from '../base/index.js';
import type { ArrivingBody } from './body-memory.js';
import type { Incoming } from './transport/transport-types.js';

/** How long a body may take. */
export interface BodyDeadlines {
  /** Milliseconds within which `stallBytes`, or the rest of the body, must arrive. */
  readonly stallMs: number;
  readonly stallBytes: number;
  /** Milliseconds for the whole body. */
  readonly totalMs: number;
}

/**
 * Receives a body. Must be called before the first await of a handler. Rejects with `request_timeout` if a deadline
 * passes or the body is ended in favour of others, with `overloaded` if there is no memory for it, and with the signal's
 * reason if the client disconnects.
 */
export function collectBody(
  incoming: Incoming,
  body: ArrivingBody,
  deadlines: BodyDeadlines,
  clock: Clock,
): Promise<Buffer> {
  const { length } = body;
  if (length === 0) return Promise.resolve(body.whole);
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (act: () => void) => {
      if (settled) return;
      settled = true;
      progress.stop();
      incoming.signal.removeEventListener('abort', gone);
      act();
    };
    const fail = (error: unknown) => settle(() => reject(error));
    const gone = () => fail(incoming.signal.reason);
    const progress = watchProgress(deadlines, clock, () => fail(late(body)));
    incoming.signal.addEventListener('abort', gone);
    body.onEnd = fail;
    incoming.onBody((chunk) => {
      if (settled) return;
      try {
        body.add(chunk);
      } catch (error) {
        fail(error);
        return;
      }
      progress.made(body.received);
      if (body.received === length) settle(() => resolve(body.whole));
    });
  });
}

function late({ received, length }: ArrivingBody): ApiError {
  return new ApiError('request_timeout', `Only ${received} of ${length} bytes of the body arrived in time.`);
}

/** Calls back once when a deadline passes. One timer serves both: progress moves the deadline, not the timer. */
function watchProgress(
  { stallMs, stallBytes, totalMs }: BodyDeadlines,
  clock: Clock,
  onLate: () => void,
): { made(received: number): void; stop(): void } {
  const end = clock.monotonic() + totalMs;
  let due = Math.min(end, clock.monotonic() + stallMs);
  let counted = 0;
  let cancel: () => void;
  const arm = () => {
    cancel = clock.after(Math.max(1, Math.ceil(due - clock.monotonic())), () => {
      if (clock.monotonic() >= due) onLate();
      else arm();
    });
  };
  arm();
  return {
    made(received) {
      if (received - counted < stallBytes) return;
      counted = received;
      due = Math.min(end, clock.monotonic() + stallMs);
    },
    stop: () => cancel(),
  };
}
