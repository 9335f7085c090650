import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process started, as text that no other process with the same id has; null where there is none. A process id
 * alone is taken again by another process after a crash or a reboot. Processes of another container are not seen.
 */
export function startOfProcess(pid: number): string | null {
  if (process.platform === 'linux') return startOnLinux(pid);
  // Every process must see the same text, whatever its own language and time zone.
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env });
  return stdout?.trim() || null;
}

/** proc(5): the start in clock ticks since boot is the 22nd field; the 2nd, the name, may hold anything. */
function startOnLinux(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A process that has ended stays in the list until its parent asks how.
    return fields[0] === 'Z' ? null : `${boot} ${fields[19]}`;
  } catch {
    return null;
  }
}
