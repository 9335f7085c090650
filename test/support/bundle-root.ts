import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** Network, processes and mounts of their own: no route leads out, and they end with `unshare`. */
const NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child'];
/** None of this process, such as the certificates of its host. */
const VARIABLES = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

/** Why no root without a network can be entered here; false where one can. */
export const NO_ROOTS =
  !(works('unshare', ...NAMESPACES, 'true') && works('ip', 'link')) &&
  'SKIPPED: no root without a network can be entered here (unshare and iproute2 are needed, as root)';

/** Makes a root folder with Debian's basic packages and these. Returns what went wrong, or null. */
export function debianRoot(root: string, suite: string, packages: readonly string[] = []): string | null {
  const options = ['--variant=minbase', ...(packages.length > 0 ? [`--include=${packages.join()}`] : [])];
  const { status, error, stdout } = spawnSync('debootstrap', [...options, suite, root], { encoding: 'utf8' });
  if (status === 0) return null;
  const reason = error?.message ?? (stdout.trim().split('\n').at(-1) as string);
  return `SKIPPED: debootstrap made no root of ${suite} (apt-get install debootstrap, and its mirror): ${reason}`;
}

/** The libraries of glibc that programs use. */
const GLIBC = ['libc.so.6', 'libdl.so.2', 'libm.so.6', 'libpthread.so.0', 'libresolv.so.2', 'librt.so.1'];

/** Makes a root folder with a shell, tar, gzip and glibc, and without libstdc++. */
export function minimalRoot(root: string): void {
  const copy = (from: string, to = from) => {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    copyFileSync(from, join(root, to));
  };
  for (const folder of ['dev', 'opt', 'proc', 'root']) mkdirSync(join(root, folder), { recursive: true });
  execFileSync('mknod', ['--mode=666', join(root, 'dev/null'), 'c', '1', '3']);
  const find = (name: string) =>
    execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
  const programs = ['sh', 'tar', 'gzip'].map((name) => ({ name, file: find(name) }));
  for (const { name, file } of programs) copy(file, `/bin/${name}`);
  const printed = execFileSync(
    'ldd',
    programs.map(({ file }) => file),
    { encoding: 'utf8' },
  );
  const needed = [...printed.matchAll(/(?:=> |^\t)(\/\S+) \(0x/gm)].map(([, library]) => library as string);
  const libc = needed.find((library) => library.endsWith('/libc.so.6')) as string;
  for (const library of new Set([...needed, ...GLIBC.map((name) => join(dirname(libc), name))]))
    copy(library);
}

/** Serves in a root, asks one question, and ends; prints a line per step. */
const DRIVER = `
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
const { folder, variables, user } = JSON.parse(readFileSync('/task.json', 'utf8'));
const socket = connect(80, '192.0.2.1').on('error', ({ code }) => console.log('network', code));
const server = spawn(folder + '/decider', ['serve'], { ...user, cwd: folder, env: variables, stdio: ['ignore', 'pipe', 2] });
let url, token;
for await (const line of createInterface({ input: server.stdout })) {
  url ??= /^listening on (.+)/.exec(line)?.[1];
  token ??= /^token: (.+)/.exec(line)?.[1];
  if (!line.startsWith('try: ')) continue;
  const questions = { angry: { type: 'noul', instructions: 'Is the customer angry?' } };
  const response = await fetch(url + '/v1/decide', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' },
    body: JSON.stringify({ state: 'My card was charged twice!', questions }),
  });
  console.log('answer', await response.text());
  server.once('exit', (code) => console.log('ended', code)).kill('SIGTERM');
}
`;

export interface InRoot {
  readonly root: string;
  readonly archive: string;
  /** The variables of the server, and its user. */
  readonly variables: Readonly<Record<string, string>>;
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** Unpacks an archive in a root without a network, serves and asks. Returns the lines, each with its time in ms. */
export async function serveInRoot({ root, archive, variables, user }: InRoot) {
  const folder = `/opt/${basename(archive, '.tar.gz')}`;
  const write = (name: string, text: string) => writeFileSync(join(root, name), text);
  copyFileSync(archive, join(root, 'bundle.tar.gz'));
  write('driver.mjs', DRIVER);
  write('task.json', JSON.stringify({ folder, variables, user }));
  write(
    'run.sh',
    `echo unpacking
cd /opt && tar xf /bundle.tar.gz || exit 1
echo unpacked
LD_LIBRARY_PATH=${folder}/lib exec ${folder}/bin/node /driver.mjs
`,
  );
  const enter = 'mount -t proc proc "$0/proc" && ip link set lo up && exec chroot "$0" /bin/sh /run.sh';
  const child = spawn('unshare', [...NAMESPACES, 'sh', '-c', enter, root], {
    env: VARIABLES,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: { text: string; ms: number }[] = [];
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  for await (const text of createInterface({ input: child.stdout }))
    lines.push({ text, ms: performance.now() });
  return { lines, errors };
}

/** Runs a command in a root. */
export function runInRoot(root: string, command: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('chroot', [root, ...command], {
    encoding: 'utf8',
    env: VARIABLES,
  });
  return { status, stdout, stderr };
}

/** Runs a shell command in a root without a network, with `/proc`, and returns what it printed. */
export function runShellInRoot(root: string, command: string): { status: number | null; output: string } {
  const enter = 'mount -t proc proc "$0/proc" && ip link set lo up && exec chroot "$0" /bin/sh -c "$1"';
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    [...NAMESPACES, 'sh', '-c', enter, root, `{ ${command}; } 2>&1`],
    { encoding: 'utf8', env: VARIABLES, maxBuffer: 16 << 20 },
  );
  return { status, output: stdout + stderr };
}
