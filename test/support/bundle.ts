import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { Command } from './cli.js';
import type { Owner } from './owner.js';

/** For tests of whole bundles, which are skipped on other platforms. */
export const WHOLE_BUNDLE =
  process.platform === 'linux' && process.arch === 'x64'
    ? {}
    : { skip: 'SKIPPED: bundles are made on Linux x64 only' };

/** A folder that is removed after the test, even if its files and folders are read-only. */
export function scratchFolder(t: Owner): string {
  const folder = mkdtempSync(join(tmpdir(), 'decider-bundle-'));
  // The commands run as another user.
  chmodSync(folder, 0o755);
  t.teardown(() => {
    spawnSync('chmod', ['-R', 'u+w', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Who runs the commands of a bundle: another user than its owner, where the tests run as root. */
const USER = process.getuid?.() === 0 ? { uid: 10_001, gid: 10_001 } : {};

/** The variables of another Node.js and of other libraries, which a bundle ignores. */
export const HOSTILE = {
  NODE_OPTIONS: '--no-such-option',
  NODE_PATH: '/srv/modules',
  LD_LIBRARY_PATH: '/srv/libraries',
};

/** The commands of an unpacked bundle, on its own folder, as another user. `state`: a folder of that user. */
export class BundleCommands {
  constructor(
    private readonly folder: string,
    private readonly state: string,
  ) {}

  private options(own: Readonly<Record<string, string>>) {
    const env = {
      PATH: '/usr/bin:/bin',
      XDG_STATE_HOME: this.state,
      DECIDER_PORT: '0',
      DECIDER_ENGINE_THREADS: '1',
      ...HOSTILE,
      ...own,
    };
    return { cwd: this.folder, env, ...USER };
  }

  /** Runs a command to its end. */
  run(args: readonly string[], own: Readonly<Record<string, string>> = {}) {
    const program = join(this.folder, 'decider');
    const { status, stdout, stderr } = spawnSync(program, args, { ...this.options(own), encoding: 'utf8' });
    return { status, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
  }

  /** Starts a server, ended with the test at the latest. */
  serve(t: Test, own: Readonly<Record<string, string>> = {}): Command {
    const child = spawn(join(this.folder, 'decider'), ['serve'], {
      ...this.options(own),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.teardown(() => {
      child.kill('SIGKILL');
    });
    return new Command(child);
  }
}

/** What a server answers to one question. */
export async function askServer(server: Command): Promise<unknown> {
  const url = (await server.line(/^listening on /)).slice('listening on '.length);
  const token = (await server.line(/^token: /)).slice('token: '.length);
  const response = await fetch(`${url}/v1/decide`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      state: 'My card was charged twice!',
      questions: { angry: { type: 'noul', instructions: 'Is the customer angry?' } },
    }),
  });
  return response.json();
}

/** Changes one bit in the middle of a file. */
export function flipBit(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    const byte = Buffer.alloc(1);
    const place = Math.floor(fstatSync(descriptor).size / 2);
    readSync(descriptor, byte, 0, 1, place);
    byte[0] = (byte[0] as number) ^ 1;
    writeSync(descriptor, byte, 0, 1, place);
  } finally {
    closeSync(descriptor);
  }
}
