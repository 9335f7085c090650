import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from './free-port.js';
import { NEEDS_POSTGRES } from './postgres.js';
import { user } from './postgres-server.js';
import { until } from './until.js';

/** Where Debian installs PgBouncer. */
const PROGRAM = '/usr/sbin/pgbouncer';
const isInstalled = existsSync(PROGRAM);

/** Options of a test that needs PostgreSQL and PgBouncer: it is skipped, with a warning, where one is not installed. */
export const NEEDS_PGBOUNCER: { readonly skip?: string } = isInstalled
  ? NEEDS_POSTGRES
  : { skip: 'PgBouncer is not installed (apt-get install pgbouncer)' };
if (!isInstalled) {
  if (process.env.CI) throw new Error('PgBouncer is not installed');
  console.error('WARNING: PgBouncer is not installed. Its tests are skipped.');
}

/**
 * Starts PgBouncer in front of a database, stopped with the test. Returns the address of the database through it.
 *
 * @param settings further lines of its configuration, such as `pool_mode = session`
 */
export async function pgbouncer(t: Test, url: string, settings: readonly string[]): Promise<string> {
  const { hostname, port, pathname, username } = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  const own = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'auth_type = any',
    `auth_file = ${join(folder, 'users')}`,
    ...settings,
  ];
  writeFileSync(file, `${lines.join('\n').replace('* =', `* = user=${username}`)}\n`);
  writeFileSync(join(folder, 'users'), `"${username}" ""\n`);
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const bouncer = spawn(PROGRAM, ['-q', file], { ...user, cwd: folder, stdio: 'ignore' });
  t.teardown(async () => {
    const ended = once(bouncer, 'exit');
    if (bouncer.exitCode === null && bouncer.kill('SIGQUIT')) await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  await until(() => accepts(own));
  return `postgres://${username}@127.0.0.1:${own}${pathname}`;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
