import { execFile } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { controlGroups, foreignFolderOwner, readGroupFile } from '../../base/index.js';
import { hasLibraries, hasOlderCudaLibraries, libraryVersions } from '../../engine/index.js';

/** What can be found out about this host. A parameter, so that tests can replace it. */
export interface HostProbes {
  /** `20.18.1` */
  readonly nodeVersion: string;
  /** The versions of llama.cpp's prebuilt libraries, by backend. */
  libraryVersions(): ReadonlyMap<string, string>;
  /** The version of the NVIDIA driver that is loaded, such as `570.86.15`; null: none. */
  nvidiaDriver(): string | null;
  /** The compute capabilities of the NVIDIA GPUs, such as `9.0`; empty if `nvidia-smi` does not say. */
  computeCapabilities(): Promise<readonly string[]>;
  hasCudaLibraries(): boolean;
  /** Whether they are those of node-llama-cpp, and not compiled for this machine's GPU, as in the GPU kit. */
  arePrebuilt(): boolean;
  /** Limits of this process; null if the system does not say. */
  openFilesMax(): number | null;
  threadsMax(): number | null;
  /** Whether the system clock follows a time server; null if the system does not say. */
  isClockSynchronized(): Promise<boolean | null>;
  /** Milliseconds for one durable write to a folder. Throws if it is not possible. */
  durableWriteMs(folder: string): number;
  /** The permission bits of a folder; null if it does not exist. Throws if it cannot be written. */
  folderMode(folder: string): number | null;
  /** As `foreignFolderOwner`. */
  folderOwner(folder: string): number | null;
  /** For each address null if it is free beside those before it; otherwise the code of the error, such as `EADDRINUSE`. */
  listenErrors(
    addresses: readonly { readonly host: string; readonly port: number }[],
  ): Promise<(string | null)[]>;
}

const WRITTEN_BYTES = 4_096;
const COMMAND_MS_MAX = 5_000;

/**
 * The version in /proc/driver/nvidia/version. The proprietary driver writes `Kernel Module  570.86.15`, the open one
 * `Open Kernel Module for x86_64  580.159.04`.
 */
export function driverVersion(text: string): string | null {
  return /Kernel Module\b.*?\s(\d+\.\d+(?:\.\d+)?)\s/.exec(text)?.[1] ?? null;
}

/** The host that this process runs on. */
export const thisHost: HostProbes = {
  nodeVersion: process.versions.node,
  libraryVersions,
  nvidiaDriver() {
    return driverVersion(contentOf('/proc/driver/nvidia/version'));
  },
  async computeCapabilities() {
    try {
      const query = ['--query-gpu=compute_cap', '--format=csv,noheader'];
      const { stdout } = await promisify(execFile)('nvidia-smi', query, { timeout: COMMAND_MS_MAX });
      return [...new Set(stdout.split('\n').filter((line) => /^\d+\.\d+$/.test(line)))];
    } catch {
      return [];
    }
  },
  hasCudaLibraries: () => hasLibraries('cuda'),
  arePrebuilt: () => hasOlderCudaLibraries(),
  openFilesMax: () => processLimit('Max open files'),
  threadsMax() {
    const groups = controlGroups('pids').map((group) =>
      Number.parseInt(readGroupFile(group, 'pids.max'), 10),
    );
    const limits = [processLimit('Max processes'), ...groups];
    const known = limits.filter((limit): limit is number => limit !== null && limit > 0);
    return known.length === 0 ? null : Math.min(...known);
  },
  async isClockSynchronized() {
    try {
      const options = { timeout: COMMAND_MS_MAX };
      const show = ['show', '--property=NTPSynchronized', '--value'];
      const { stdout } = await promisify(execFile)('timedatectl', show, options);
      return stdout.trim() === 'yes' ? true : stdout.trim() === 'no' ? false : null;
    } catch {
      return null;
    }
  },
  durableWriteMs(folder) {
    const file = join(existingFolder(folder), `.decider-doctor-${process.pid}`);
    const begun = performance.now();
    const descriptor = openSync(file, 'wx', 0o600);
    try {
      // Not writeSync, which may write only a part on a full disk.
      writeFileSync(descriptor, Buffer.alloc(WRITTEN_BYTES));
      fsyncSync(descriptor);
      return performance.now() - begun;
    } finally {
      closeSync(descriptor);
      rmSync(file);
    }
  },
  folderMode(folder) {
    accessSync(existingFolder(folder), constants.W_OK | constants.X_OK);
    return statSync(folder, { throwIfNoEntry: false })?.mode ?? null;
  },
  folderOwner: foreignFolderOwner,
  async listenErrors(addresses) {
    const servers: Server[] = [];
    const codes: (string | null)[] = [];
    for (const { host, port } of addresses) {
      const server = createServer();
      servers.push(server);
      codes.push(
        await new Promise((settle) => {
          server.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
          server.listen({ host, port, exclusive: true }, () => settle(null));
        }),
      );
    }
    for (const server of servers) server.close();
    return codes;
  },
};

/** A folder, or the nearest one above it that exists. */
function existingFolder(folder: string): string {
  let found = resolve(folder);
  while (statSync(found, { throwIfNoEntry: false }) === undefined) found = dirname(found);
  return found;
}

/** A soft limit of this process; null without /proc. */
function processLimit(name: string): number | null {
  const [, soft] = new RegExp(`^${name} +(\\d+|unlimited)`, 'm').exec(contentOf('/proc/self/limits')) ?? [];
  if (soft === undefined) return null;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Empty if the file cannot be read. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
