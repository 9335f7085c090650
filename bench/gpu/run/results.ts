// The one file of results: what is known so far of every part, written anew after each step.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { StepResult } from './steps.js';

export interface PartResult {
  /** ISO 8601. */
  readonly started_at: string;
  readonly seconds: number;
  readonly steps: readonly StepResult[];
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

function partsOf(file: string): Array<[part: string, result: PartResult]> {
  if (!existsSync(file)) return [];
  try {
    return Object.entries((JSON.parse(readFileSync(file, 'utf8')) as KitResults).parts ?? {});
  } catch {
    // Cut off by the end of its machine: what it had is lost, and no reason to stop.
    return [];
  }
}

/** Writes the whole file, so that a copy taken at any time is complete. */
export function writeResults(files: readonly string[], results: KitResults): void {
  for (const file of files) {
    writeFileSync(`${file}.part`, `${JSON.stringify(results, null, 1)}\n`);
    renameSync(`${file}.part`, file);
  }
}
