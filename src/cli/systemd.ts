import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
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
