// The report of sizes: what each part of a bundle takes.
import { statSync } from 'node:fs';
import { showBytes } from '../src/base/index.js';
import { table } from '../src/cli/text-table.js';
import type { Entry, Part } from './contents.js';

const sizeOf = ({ content }: Entry): number =>
  'file' in content ? statSync(content.file).size : Buffer.byteLength(content.text);

/** A table of the parts, the largest first, and their sum; the archive last. */
export function sizeReport(entries: readonly Entry[], archiveBytes: number): string {
  const parts = new Map<Part, { files: number; bytes: number }>();
  for (const entry of entries) {
    const { files, bytes } = parts.get(entry.part) ?? { files: 0, bytes: 0 };
    parts.set(entry.part, { files: files + 1, bytes: bytes + sizeOf(entry) });
  }
  const sorted = [...parts].sort(([, a], [, b]) => b.bytes - a.bytes);
  const sum = sorted.reduce((total, [, { bytes }]) => total + bytes, 0);
  const row = (name: string, files: number | string, bytes: number) => [
    name,
    String(files),
    showBytes(bytes),
  ];
  return table(
    ['part', 'files', 'size'],
    [
      ...sorted.map(([part, { files, bytes }]) => row(part, files, bytes)),
      row('all', entries.length, sum),
      row('archive', '', archiveBytes),
    ],
    ['files', 'size'],
  );
}
