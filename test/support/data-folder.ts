import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Owner } from './owner.js';

/**
 * An empty data folder, removed when the test ends. Not `t.testdir()`: a second call of that in one test deletes the folder
 * of the first, under the store that is open in it.
 */
export function dataFolder(t: Owner): string {
  const folder = mkdtempSync(join(tmpdir(), 'decider-data-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
