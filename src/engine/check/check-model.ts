import { fileURLToPath } from 'node:url';
import { entryFile } from '../../base/index.js';
import type { CatalogBuild } from '../models/catalog.js';
import { ModelError } from '../models/manifest.js';
import {
  ChildError,
  type ChildLimits,
  type ChildResult,
  limitsFor,
  oneLine,
  runBounded,
} from './bounded-child.js';
import type { CheckReport, CheckTask, ModelFacts } from './check-messages.js';

/** A check computes little, and each thread's stack counts 8 MiB towards the memory limit. */
const CHECK_THREADS_MAX = 16;

/**
 * Opens a build in a child process with bounded time and memory, and uses it as a server would: vocabulary, templates,
 * one wave, and two images if it reads images. Throws ModelError (one line with the file and the reason), or the
 * signal's reason.
 */
export async function checkModel(
  asked: CheckTask,
  stop?: AbortSignal,
  limits: ChildLimits = limitsFor(asked.build, asked.device),
): Promise<ModelFacts> {
  const task = { ...asked, threads: Math.min(asked.threads, CHECK_THREADS_MAX) };
  try {
    const result = await runBounded(
      fileURLToPath(entryFile('engine/check/check-process')),
      task,
      task.threads,
      limits,
      stop,
    );
    return verdict(task.build, result, limits);
  } catch (error) {
    if (!(error instanceof ChildError)) throw error;
    throw new ModelError(`${task.build.path}: no process could be started to check it: ${error.message}`);
  }
}

function verdict(
  { path }: CatalogBuild,
  { lines, ending, late }: ChildResult,
  limits: ChildLimits,
): ModelFacts {
  let at = path;
  for (const line of lines) {
    const report: CheckReport = JSON.parse(line);
    if ('facts' in report) return report.facts;
    if ('error' in report) throw new ModelError(oneLine(report.error));
    at = report.at;
  }
  if (late)
    throw new ModelError(
      `${at}: its check takes more than ${Math.round(limits.milliseconds / 1_000)} s. If this host is busy, try again when it is not; otherwise the file may be damaged`,
    );
  throw new ModelError(`${at}: loading it ended the checking process: ${ending}`);
}
