import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Runs a program in a PID namespace of its own, as a container does; it ends with the program that started it. */
const NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

/** Why no PID namespace can be made here; false where one can. */
export const NO_NAMESPACE =
  spawnSync(NAMESPACE[0] as string, [...NAMESPACE.slice(1), 'true']).status !== 0 &&
  'SKIPPED: no PID namespace can be made here (unshare needs root and Linux)';

/** For the shell that starts a program with `exec "$@"`. */
export const IN_NAMESPACE = `set -- ${NAMESPACE.join(' ')} "$@";`;

/** The process id, as this process sees it, of what `unshare` runs. */
export function insideOf(unshare: number): number {
  const isChild = (pid: string) => {
    try {
      return new RegExp(`^PPid:\\s*${unshare}$`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  return Number(readdirSync('/proc').find((name) => /^\d+$/.test(name) && isChild(name)));
}
