// The one file of results: what is known so far of every part, written anew after each step.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { StepResult } from './steps.js';

interface Run {
  /** ISO 8601. */
  readonly started_at: string;
  readonly seconds: number;
  readonly steps: readonly StepResult[];
}

export interface PartResult extends Run {
  /** Of a part that was repeated, the run before in which most steps succeeded: the last one may have been interrupted. */
  readonly earlier?: Run;
}

/** `gpu-kit.json`. */
export interface KitResults {
  readonly kit: Readonly<Record<string, unknown>>;
  readonly parts: Readonly<Record<string, PartResult>>;
}

/** The results of earlier parts in these files: of each part, those that began last. Files that cannot be read have none. */
export function readResults(files: readonly string[]): KitResults['parts'] {
  const found: Record<string, PartResult> = {};
  for (const [part, result] of files.flatMap(partsOf)) {
    const known = found[part];
    if (known === undefined || known.started_at < result.started_at) found[part] = result;
  }
  return found;
}

/** What is kept of the earlier runs of a part that begins again; undefined if no step had ended. */
export function earlierRun(before: PartResult | undefined): Run | undefined {
  if (before === undefined) return undefined;
  const { earlier, ...last } = before;
  const succeeded = ({ steps }: Run) => steps.filter(({ status }) => status === 'ok').length;
  if (earlier !== undefined && succeeded(earlier) > succeeded(last)) return earlier;
  return last.steps.length === 0 ? undefined : last;
}

function partsOf(file: string): Array<[part: string, result: PartResult]> {
  if (!existsSync(file)) return [];
  try {
    return Object.entries((JSON.parse(readFileSync(file, 'utf8')) as KitResults).parts ?? {});
  } catch {
    // Cut off by the end of its machine: what it had is lost, and no reason to stop.
    return [];
  }
}

/**
 * Writes whole files, so that a copy taken at any time is complete. One that cannot be written, as on a full disk, does not
 * keep the others from being written. Returns the files that were not written, with the reasons.
 */
export function writeResults(
  files: readonly string[],
  results: KitResults,
): ReadonlyArray<{ readonly file: string; readonly message: string }> {
  const text = `${JSON.stringify(results, null, 1)}\n`;
  return files.flatMap((file) => {
    const unfinished = `${file}.part`;
    try {
      writeFileSync(unfinished, text);
      renameSync(unfinished, file);
      return [];
    } catch (error) {
      rmSync(unfinished, { force: true });
      return [{ file, message: `${file} cannot be written: ${(error as Error).message}` }];
    }
  });
}
