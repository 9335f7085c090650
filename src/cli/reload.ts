import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../base/index.js';
import { type ReloadOutcome, readOutcome } from '../server/index.js';
import { loadSettings } from '../settings/index.js';
import { servingPid } from '../store/index.js';
import { type Options, print, printJson, reportError } from './output.js';
import { signalServer } from './reload-signals.js';
import { requireStore } from './with-store.js';

/** How long the command waits for the server to begin the reload. Loading models may then take minutes. */
const ANSWER_MS_MAX = 30_000;
const POLL_MS = 20;

/**
 * `decider reload`: makes the server of the data folder read its settings and the manifest again, and prints what has
 * changed.
 */
export const reload = (options: Options) =>
  reportError(async () => {
    const { data } = loadSettings(process.env, options.config);
    requireStore(data);
    const pid = servingPid(data);
    const before = readOutcome(data);
    if (before?.pid !== pid) {
      throw new OperatorError(
        `Process ${pid} is starting or stopping, or is of a version that cannot reload.`,
      );
    }
    signalServer(pid);
    const { error, changed } = await outcomeAfter(data, before);
    if (error !== null) throw new OperatorError(`Nothing was changed: ${error}`);
    if (options.json) return printJson({ changed });
    print(changed.length === 0 ? 'Nothing has changed.' : `changed: ${changed.join(', ')}`);
  });

/**
 * The outcome of a reload that began after `before` was read. Throws OperatorError if the process ends or stops before it
 * answers.
 */
async function outcomeAfter(data: string, { pid, begun }: ReloadOutcome): Promise<ReloadOutcome> {
  let end = performance.now() + ANSWER_MS_MAX;
  while (performance.now() < end) {
    const found = readOutcome(data);
    if (found?.pid === pid && found.number > begun) return found;
    // This reload, or one that it follows, is in progress.
    if (found?.pid === pid && found.begun > found.number) end = performance.now() + ANSWER_MS_MAX;
    // A server that stops removes the file first.
    if (servingPid(data) !== pid || found?.pid !== pid) {
      throw new OperatorError(`Process ${pid} is stopping, and has not answered.`);
    }
    await sleep(POLL_MS);
  }
  throw new OperatorError(`Process ${pid} has not answered within ${ANSWER_MS_MAX / 1_000} s.`);
}
