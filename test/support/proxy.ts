import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCertificate } from './certificate.js';
import { freePort } from './free-port.js';
import type { Owner } from './owner.js';
import { ROOT } from './sources.js';
import { until } from './until.js';

/** A proxy in front of a server, with a certificate for `localhost`. */
export interface ProxyServer {
  readonly port: number;
  /** Its certificate, as PEM. */
  readonly ca: Buffer;
}

interface Kind {
  readonly name: string;
  /** The arguments that print its version. */
  readonly version: readonly string[];
  /** Its command, once its configuration is in the folder. `edit` changes the file of `deploy/`. */
  readonly prepare: (
    folder: string,
    ports: Ports,
    edit: (text: string) => string,
  ) => readonly [string, ...string[]];
}

interface Ports {
  readonly listen: number;
  /** Of the servers behind it. Only HAProxy has more than one. */
  readonly upstreams: readonly number[];
}

/** A text with each of the quoted parts, which it must have, replaced. */
function replaced(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`the file of deploy/ has no ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}

const deployed = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8');

const NGINX: Kind = {
  name: 'nginx',
  version: ['-v'],
  prepare(folder, { listen, upstreams: [upstream] }, edit) {
    const site = replaced(deployed('nginx.conf'), [
      ['127.0.0.1:8080', `127.0.0.1:${upstream}`],
      ['listen 443 ssl', `listen 127.0.0.1:${listen} ssl`],
      ['listen [::]:443 ssl http2;', ''],
      ['/etc/ssl/certs/decider.pem', join(folder, 'cert.pem')],
      ['/etc/ssl/private/decider.key', join(folder, 'key.pem')],
    ]);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${join(folder, kind)};`,
    );
    const file = join(folder, 'nginx.conf');
    writeFileSync(
      file,
      `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; worker_processes 1; pid ${folder}/pid;
      error_log stderr; events {} http { access_log off; ${temporary.join(' ')} ${edit(site)} }`,
    );
    return ['nginx', '-p', folder, '-c', file];
  },
};

const CADDY: Kind = {
  name: 'caddy',
  version: ['version'],
  prepare(folder, { listen, upstreams: [upstream] }, edit) {
    const site = replaced(deployed('Caddyfile'), [
      ['127.0.0.1:8080', `127.0.0.1:${upstream}`],
      [
        'decider.example.com {',
        `https://localhost:${listen} {\n\tbind 127.0.0.1\n\ttls ${join(folder, 'cert.pem')} ${join(folder, 'key.pem')}`,
      ],
    ]);
    const file = join(folder, 'Caddyfile');
    const global = `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${folder}\n}\n`;
    writeFileSync(file, global + edit(site));
    return ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'];
  },
};

/** Nodes of deploy/haproxy.cfg. */
const SERVER_LINE = /^ {2}server node\d .*\n/gm;

const HAPROXY: Kind = {
  name: 'haproxy',
  version: ['-v'],
  prepare(folder, { listen, upstreams }, edit) {
    const pem = join(folder, 'decider.pem');
    writeFileSync(pem, ['cert.pem', 'key.pem'].map((name) => readFileSync(join(folder, name))).join(''));
    const servers = upstreams.map((port, at) => `  server node${at + 1} 127.0.0.1:${port}\n`).join('');
    const site = replaced(deployed('haproxy.cfg'), [
      ['maxconn 8000', 'maxconn 400'],
      ...(process.getuid?.() === 0
        ? []
        : ([
            ['chroot /var/lib/haproxy', ''],
            ['unix@/decider.sock', `unix@${join(folder, 'decider.sock')}`],
            ['mode 600 user haproxy', 'mode 600'],
            ['user haproxy', ''],
            ['group haproxy', ''],
          ] as const)),
      ['/var/lib/haproxy', folder],
      ['/run/haproxy/admin.sock', adminSocket(folder)],
      ['/etc/haproxy/decider.pem', pem],
      ['bind :443', `bind 127.0.0.1:${listen}`],
      [`bind [::]:443 v6only ssl crt ${pem} alpn h2,http/1.1`, ''],
    ]);
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, edit(site.replace(SERVER_LINE, '') + servers));
    return ['haproxy', '-dW', '-db', '-f', file];
  },
};

const adminSocket = (folder: string) => join(folder, 'admin.sock');

/** Why a proxy cannot be tested here; false where it can. */
const missing = ({ name, version }: Kind): string | false =>
  spawnSync(name, version).status !== 0 && `${name.toUpperCase()} IS NOT INSTALLED: apt-get install ${name}`;

const unchanged = (text: string) => text;

export const PROXIES = [NGINX, CADDY, HAPROXY].map((kind) => ({
  name: kind.name,
  missing: missing(kind),
  /** Starts it with the file of `deploy/`; ended with the test. */
  start: (t: Owner, upstream: number, edit: (text: string) => string = unchanged): Promise<ProxyServer> =>
    startProxy(t, kind, [upstream], edit),
}));

/** Options of a test that needs HAProxy: it is skipped, with the reason, where that is not installed. */
export const NEEDS_HAPROXY = { skip: missing(HAPROXY) };

export interface Haproxy extends ProxyServer {
  /** Executes a command of its administration and returns what it prints. */
  admin(command: string): Promise<string>;
  /** The socket of its second step. */
  readonly secondStep: string;
}

/** Starts HAProxy with deploy/haproxy.cfg in front of several servers: `node1`, `node2` and so on; ended with the test. */
export async function startHaproxy(
  t: Owner,
  upstreams: readonly number[],
  edit: (text: string) => string = unchanged,
): Promise<Haproxy> {
  const { folder, ...server } = await startProxy(t, HAPROXY, upstreams, edit);
  const admin = async (command: string) => {
    const socket = connect(adminSocket(folder));
    socket.end(`${command}\n`);
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk;
    return text;
  };
  return { ...server, admin, secondStep: join(folder, 'decider.sock') };
}

async function startProxy(
  t: Owner,
  kind: Kind,
  upstreams: readonly number[],
  edit: (text: string) => string,
): Promise<ProxyServer & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'decider-proxy-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'logs'));
  const { cert } = writeCertificate(folder);
  const port = await freePort();
  const [command, ...rest] = kind.prepare(folder, { listen: port, upstreams }, edit);
  const child = spawn(command, rest, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder },
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  t.teardown(async () => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${kind.name} ended: ${errors}`);
    return accepts(port);
  }, 60_000);
  return { port, ca: readFileSync(cert), folder };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
