import { execFile, execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { IS_BUNDLE, OperatorError, PROGRAM_FOLDER } from '../base/index.js';
import { defaultFolders, loadSettings } from '../settings/index.js';
import { reportError } from './output.js';
import { systemdUnit } from './systemd-unit.js';

interface SystemdOptions {
  readonly config?: string;
  readonly user: string;
}

/** What runs this program. The start script of a bundle checks the host and runs the Node.js of the bundle. */
const command = () =>
  IS_BUNDLE
    ? [join(PROGRAM_FOLDER, 'decider')]
    : [process.execPath, realpathSync(join(PROGRAM_FOLDER, 'bin/decider.mjs'))];

/** `decider systemd`: prints a unit for the server with this configuration. Changes nothing. */
export const systemd = ({ config, user }: SystemdOptions) =>
  reportError(() => {
    if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user)) {
      throw new OperatorError(`--user: ${JSON.stringify(user)} is not the name of a system user.`);
    }
    const file = config ?? (process.env.DECIDER_CONFIG || undefined);
    const unit = systemdUnit({
      // Its working folder is the state folder, wherever this command runs.
      settings: loadSettings(process.env, file, undefined, defaultFolders('.')),
      config: file === undefined ? null : resolve(file),
      command: command(),
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
