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

/** The results of earlier parts in the first of these files that can be read; none if there is none. */
export function readResults(files: readonly string[]): KitResults['parts'] {
  for (const file of files) {
    if (!existsSync(file)) continue;
    try {
      return (JSON.parse(readFileSync(file, 'utf8')) as KitResults).parts ?? {};
    } catch {
      // Cut off by the end of its machine: what it had is lost, and no reason to stop.
    }
  }
  return {};
}

/** Writes the whole file, so that a copy taken at any time is complete. */
export function writeResults(files: readonly string[], results: KitResults): void {
  for (const file of files) {
    writeFileSync(`${file}.part`, `${JSON.stringify(results, null, 1)}\n`);
    renameSync(`${file}.part`, file);
  }
}
