import { fileURLToPath } from 'node:url';
import { entryFile } from '../../base/index.js';
import { ChildError, oneLine, runBounded } from '../../engine/index.js';
import { whyUnloaded } from '../transport/load-transport.js';
import type { TrialReport, TrialTask } from './trial-messages.js';

/** How long a start waits for the check of uWebSockets.js. */
export const TRIAL_MS_MAX = 10_000;
/** Private memory of the check. */
const TRIAL_BYTES_MAX = 2 << 30;

/** Whether every known attack was refused, and a clause that says so or why not. */
export interface TrialResult {
  readonly passed: boolean;
  readonly finding: string;
}

/**
 * Sends the known attacks to uWebSockets.js in a child process with bounded time and memory, on a loopback socket of that
 * process. A fault of the library is a result; rejects only with the reason of `stop`.
 *
 * @param module URL of the module that loads the transport
 * @param msMax milliseconds until the child is ended
 */
export async function tryUws(
  stop: AbortSignal,
  module: string = entryFile('http/transport/uws-transport').href,
  msMax: number = TRIAL_MS_MAX,
): Promise<TrialResult> {
  const task: TrialTask = { module };
  const limits = { milliseconds: msMax, dataBytes: TRIAL_BYTES_MAX };
  try {
    const { lines, ending, late } = await runBounded(
      fileURLToPath(entryFile('http/trial/trial-process')),
      task,
      1,
      limits,
      stop,
    );
    if (late) return failed(`the check of uWebSockets.js did not end within ${msMax} ms`);
    // Also after its report: memory that an attack has corrupted may be used later.
    if (ending !== 'status 0') return failed(`the check of uWebSockets.js ended with ${ending}`);
    return resultOf(lines);
  } catch (error) {
    if (error instanceof ChildError)
      return failed(`the check of uWebSockets.js could not be started: ${oneLine(error.message)}`);
    throw error;
  }
}

const failed = (finding: string): TrialResult => ({ passed: false, finding });

function resultOf([line]: readonly string[]): TrialResult {
  if (line === undefined) return failed('the check of uWebSockets.js reported nothing');
  const report = JSON.parse(line) as TrialReport;
  if ('refused' in report)
    return { passed: true, finding: `uWebSockets.js refused all ${report.refused} known attacks` };
  if ('executed' in report)
    return failed(`uWebSockets.js executed a request hidden by ${report.executed.join(' and by ')}`);
  if ('broken' in report) return failed(`the check of uWebSockets.js failed: ${oneLine(report.broken)}`);
  return failed(whyUnloaded(report.unloaded));
}
