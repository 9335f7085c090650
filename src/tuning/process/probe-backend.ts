import { fileURLToPath } from 'node:url';
import { entryFile } from '../../base/index.js';
import { ChildError, oneLine, runBounded } from '../../engine/index.js';
import type { Answers, DeviceAnswers } from '../numerics/measure-answers.js';
import type { ProbeResults, ProbeSetup, ProbeTask, ProbeWork } from './probe-messages.js';

/** A backend cannot be measured: it ended its process or reported an error. One line. */
export class ProbeError extends Error {}

/**
 * Measures a backend in a child process, because a process can load only one backend, and a broken one may end it.
 * `milliseconds`: then the process is ended. Throws ProbeError, or the signal's reason.
 */
export async function probeBackend<Kind extends ProbeWork['kind']>(
  setup: ProbeSetup,
  work: ProbeWork & { readonly kind: Kind },
  milliseconds: number,
  stop?: AbortSignal,
): Promise<ProbeResults[Kind]> {
  const task: ProbeTask = { ...setup, work };
  // GPU libraries and copies of weights take amounts of memory that are not known beforehand.
  const limits = { milliseconds, dataBytes: null };
  const { lines, ending, late } = await runBounded(
    fileURLToPath(entryFile('tuning/process/probe-process')),
    task,
    setup.threads,
    limits,
    stop,
  ).catch((error) => {
    throw error instanceof ChildError ? new ProbeError(oneLine(error.message)) : error;
  });
  const [line] = lines;
  if (late) throw new ProbeError(`it did not finish within ${Math.round(milliseconds / 1_000)} s`);
  if (line === undefined) throw new ProbeError(`it ended the measuring process: ${ending}`);
  const read = JSON.parse(line) as { error: string } | { result: unknown };
  if ('error' in read) throw new ProbeError(oneLine(read.error));
  return REVIVE[work.kind](read.result) as ProbeResults[Kind];
}

/** JSON has no arrays of floats, and null in place of NaN. */
type Listed = ReadonlyArray<ReadonlyArray<readonly (number | null)[]>>;

const answersOf = (listed: Listed): Answers =>
  listed.map((logits) => logits.map((each) => Float32Array.from(each, (value) => value ?? Number.NaN)));

const REVIVE: Readonly<Record<ProbeWork['kind'], (result: unknown) => unknown>> = {
  reference: (result) => answersOf(result as Listed),
  answers(result): DeviceAnswers {
    const { alone, together, repeated } = result as {
      readonly alone: Listed;
      readonly together: Listed;
      readonly repeated: { readonly alone: Listed; readonly together: Listed };
    };
    return {
      alone: answersOf(alone),
      together: answersOf(together),
      repeated: { alone: answersOf(repeated.alone), together: answersOf(repeated.together) },
    };
  },
  speed: (result) => result,
};
