import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where Linux has a file system in memory. */
const MEMORY = '/dev/shm';
/** The least that must be free in it. The files of the tests that run at the same time take a tenth. */
const FREE_BYTES_MIN = 2 * 2 ** 30;

/**
 * Makes a folder in memory for the files of tests, so that no test waits for the disk at each commit; removed when this
 * process ends. Null where there is no such file system, where it is too small or where it runs no programs, as in some
 * containers.
 */
export function memoryFolder(): string | null {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < FREE_BYTES_MIN) return null;
    const folder = mkdtempSync(join(MEMORY, 'decider-tests-'));
    // Some tests change the user.
    chmodSync(folder, 0o711);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
    return runsPrograms(folder) ? folder : null;
  } catch {
    return null;
  }
}

function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  return spawnSync(program).status === 0;
}
