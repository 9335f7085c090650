// Reporting for all benchmarks: medians and minima, tables, JSON files.
import { writeFileSync } from 'node:fs';

import { quantile } from '../src/base/index.js';

export { machine, quantile } from '../src/base/index.js';
export { Pace } from './pace.js';
export { progress } from './progress.js';

/** Repeated measurements of one duration, in milliseconds. */
export interface Times {
  readonly median: number;
  readonly min: number;
}

export function timesOf(values: readonly number[]): Times {
  return { median: quantile(values, 0.5), min: Math.min(...values) };
}

/** A text table: the first column left-aligned, the others right-aligned. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const widths = head.map((title, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? title).length)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number),
      )
      .join('  ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}

/** `12.3 (11.9)`: median (minimum). */
export function showTimes(times: Times | null): string {
  return times === null ? '–' : `${showNumber(times.median)} (${showNumber(times.min)})`;
}

/** A number with three significant digits or so; `–` if it is not finite. */
export function showNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(decimals);
}

export function writeJson(file: string | undefined, content: unknown): void {
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
