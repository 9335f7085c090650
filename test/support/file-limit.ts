import { spawnSync } from 'node:child_process';

/** Every write of a data file that is not at its very beginning fails, as on a disk that is full. */
const FULL_BYTES = '65536';

/** False, or why the tests that fill the disk of a process are skipped. */
export const NO_FILE_LIMIT =
  spawnSync('prlimit', ['--version']).status !== 0 && 'SKIPPED: there is no prlimit here';

const limit = (pid: number | undefined, bytes: string): void => {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
  if (status !== 0) throw new Error(`prlimit: ${stderr}`);
};

/** The writes of a process fail, as on a disk that is full. */
export const fillDisk = (pid: number | undefined): void => limit(pid, FULL_BYTES);

/** Its writes succeed again. */
export const emptyDisk = (pid: number | undefined): void => limit(pid, 'unlimited');
