import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../base/index.js';
import { loadSettings } from '../settings/index.js';
import { type ReloadOutcome, readOutcome, servingPid } from '../storage/index.js';
import { type Options, print, printJson, reportError } from './output.js';
import { signalServer } from './signals.js';
import { requireStore } from './with-store.js';

/** How long the command waits for the server to begin the reload. Loading models may then take minutes. */
const ANSWER_MS_MAX = 30_000;
/** How long it waits for the end of the reload. */
export const RELOAD_MS_MAX = 3_600_000;
const POLL_MS = 20;
/** Until the reload begins, the signal is repeated: it may have merged with that of `decider rekey`. */
export const SIGNAL_MS = 1_000;

/**
 * `decider reload`: makes the server of the data folder read its settings and the manifest again, and prints what has
 * changed.
 */
export const reload = (options: Options) =>
  reportError(async () => {
    const { data, store } = loadSettings(process.env, options.config);
    if (store.url === '') requireStore(data);
    const pid = servingPid(data);
    const before = readOutcome(data);
    if (before?.pid !== pid) {
      throw new OperatorError(
        `Process ${pid} is starting or stopping, cannot write to the data folder, or is of a version that cannot reload.`,
      );
    }
    signalServer(pid);
    const { error, changed } = await outcomeAfter(data, before, () => performance.now(), sleep);
    if (error !== null) throw new OperatorError(`Nothing was changed: ${error}`);
    if (options.json) return printJson({ changed });
    print(changed.length === 0 ? 'Nothing has changed.' : `changed: ${changed.join(', ')}`);
  });

/**
 * The outcome of a reload that began after `before` was read. Throws OperatorError if the process ends, stops or cannot
 * store the outcome, or if a time limit is exceeded.
 *
 * @param now in milliseconds, monotonic
 * @param pause waits for a number of milliseconds
 */
export async function outcomeAfter(
  data: string,
  { pid, begun }: ReloadOutcome,
  now: () => number,
  pause: (ms: number) => Promise<unknown>,
): Promise<ReloadOutcome> {
  const last = now() + RELOAD_MS_MAX;
  let end = now() + ANSWER_MS_MAX;
  let signalled = now();
  while (now() < Math.min(end, last)) {
    const found = readOutcome(data);
    if (found?.pid === pid && found.number > begun) return found;
    // This reload, or one that it follows, is in progress.
    if (found?.pid === pid && found.begun > found.number) end = now() + ANSWER_MS_MAX;
    // A server that stops, or cannot write the file, removes it.
    if (servingPid(data) !== pid || found?.pid !== pid) {
      throw new OperatorError(
        `Process ${pid} is stopping, or cannot store its answer. Its log has the reason.`,
      );
    }
    if (found.begun <= begun && found.number === found.begun && now() - signalled >= SIGNAL_MS) {
      signalled = now();
      signalServer(pid);
    }
    await pause(POLL_MS);
  }
  if (now() >= last) {
    throw new OperatorError(
      `Process ${pid} has not ended the reload within ${RELOAD_MS_MAX / 60_000} minutes. Its log will have the outcome.`,
    );
  }
  throw new OperatorError(`Process ${pid} has not answered within ${ANSWER_MS_MAX / 1_000} s.`);
}
