import { Interrupted } from '../base/index.js';
import { Archive, type ArchivedAnswer, refuseExisting } from './archive.js';
import { requireSameBuilds } from './archive-header.js';
import type { Cases } from './cases/read-cases.js';
import { Outcomes } from './outcomes.js';
import type { TargetDescription } from './report.js';
import { type RunOptions, runTasks, type Task } from './run-evaluation.js';
import type { Target } from './targets/target.js';
import type { VariantOptions } from './variants.js';

interface EvaluateOptions extends Pick<RunOptions, 'model' | 'signal' | 'wait'> {
  readonly cases: Cases;
  readonly variants: VariantOptions;
  /** The file of the archive. */
  readonly archive: string;
  /** Continues the archive if it exists. */
  readonly resume: boolean;
  readonly openTarget: () => Promise<Target>;
  /** The same engine in the other mode; used if `variants.modes` is set. */
  readonly openOtherMode: () => Promise<Target>;
  /** Called before the first request, and for every outcome; requests of earlier runs count as done. */
  readonly onProgress: (done: number, total: number) => void;
}

export interface Evaluated {
  readonly outcomes: Outcomes;
  readonly target: TargetDescription;
  /** False if the signal aborted before every request was made. */
  readonly complete: boolean;
}

/**
 * Asks every case, in every variant, and archives each response. In exact mode, the outcome does not depend on the
 * concurrency or on interruptions.
 *
 * @throws OperatorError if the archive or the target cannot be used; Interrupted if it was stopped before the target was open
 */
export async function evaluate(options: EvaluateOptions): Promise<Evaluated> {
  const { cases, variants, model, resume, signal } = options;
  if (!resume) refuseExisting(options.archive);
  const opened = await unlessStopped(options.openTarget, signal);
  if (opened === null) throw new Interrupted();
  let target = opened;
  const { description, calibrations } = target;
  try {
    const header = {
      format: 'decider archive 1',
      cases_sha256: cases.sha256,
      target: description,
      model,
      ...(calibrations && { calibrations }),
    } as const;
    const archive = resume
      ? Archive.resume(options.archive, header)
      : Archive.create(options.archive, header);
    const outcomes = new Outcomes(archive.earlier);
    try {
      const open = outcomes.open(cases.cases, variants);
      const run = runner(options, archive, outcomes, open);
      let complete = await run(({ variant }) => variant !== 'other mode', target);
      if (complete && open.some(({ variant }) => variant === 'other mode')) {
        await target.close();
        const other = await unlessStopped(options.openOtherMode, signal);
        if (other === null) return { outcomes, target: description, complete: false };
        target = other;
        requireSameBuilds(options.archive, calibrations, target.calibrations);
        complete = await run(({ variant }) => variant === 'other mode', target);
      }
      return { outcomes, target: description, complete };
    } finally {
      archive.close();
    }
  } finally {
    await target.close();
  }
}

/** Null if the signal aborted, or a signal to all processes of the command ended one that `open` needs. */
async function unlessStopped(open: () => Promise<Target>, signal: AbortSignal): Promise<Target | null> {
  try {
    return await open();
  } catch (error) {
    if (signal.aborted || error instanceof Interrupted) return null;
    throw error;
  }
}

/** A function that makes the open requests that a filter selects. */
function runner(options: EvaluateOptions, archive: Archive, outcomes: Outcomes, open: readonly Task[]) {
  const { cases, variants, model, signal, wait, onProgress } = options;
  const total = new Outcomes().open(cases.cases, variants).length;
  let done = total - open.length;
  onProgress(done, total);
  const onAnswer = (answer: ArchivedAnswer) => {
    outcomes.add(answer);
    done += 1;
    onProgress(done, total);
  };
  return (selects: (task: Task) => boolean, target: Target) =>
    runTasks(open.filter(selects), target, archive, { model, signal, wait, onAnswer });
}
