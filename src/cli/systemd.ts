import { execFile, execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OperatorError } from '../base/index.js';
import { loadSettings } from '../settings/index.js';
import { reportError } from './output.js';
import { systemdUnit } from './systemd-unit.js';

interface SystemdOptions {
  readonly config?: string;
  readonly user: string;
}

const PROGRAM = fileURLToPath(new URL('../../../bin/decider.mjs', import.meta.url));

/** `decider systemd`: prints a unit for the server with this configuration. Changes nothing. */
export const systemd = ({ config, user }: SystemdOptions) =>
  reportError(() => {
    if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user)) {
      throw new OperatorError(`--user: ${JSON.stringify(user)} is not the name of a system user.`);
    }
    const file = config ?? (process.env.DECIDER_CONFIG || undefined);
    const unit = systemdUnit({
      settings: loadSettings(process.env, file),
      config: file === undefined ? null : resolve(file),
      node: process.execPath,
      program: realpathSync(PROGRAM),
      user,
      systemd: installedVersion(),
    });
    process.stdout.write(unit);
  });

/** The version of systemd here; null without systemd. */
function installedVersion(): number | null {
  try {
    const output = execFileSync('systemctl', ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number(/^systemd (\d+)/.exec(output)?.[1] ?? Number.NaN) || null;
  } catch {
    return null;
  }
}

/** Longer than systemd takes to read a message, also on a busy machine. */
const NOTIFY_MS_MAX = 10_000;

/**
 * Tells systemd the state of this service, such as `READY=1`. Does nothing unless systemd started the process with
 * `Type=notify`. Node.js has no datagram sockets of the Unix domain, so systemd's own program sends the message. Resolves
 * with null, or with a sentence that says why the message was not sent.
 */
export async function notifySystemd(
  state: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string | null> {
  if (!environment.NOTIFY_SOCKET) return null;
  try {
    await promisify(execFile)('systemd-notify', [state], { env: environment, timeout: NOTIFY_MS_MAX });
    return null;
  } catch (error) {
    return `systemd was not told ${state}: ${(error as Error).message.split('\n')[0]}`;
  }
}
