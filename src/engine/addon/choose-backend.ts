import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Backend, libraries, platform } from '#native/platform.mjs';
import { entryFile } from '../../base/index.js';
import { oneLine } from '../check/bounded-child.js';
import type { Probed } from './addon-types.js';
import { remedyFor } from './installed.js';
import { BackendError } from './load-addon.js';

/** The values of the setting `engine.backend`. */
type BackendChoice = 'auto' | Backend;

const PROBE_TIMEOUT_MS = 60_000;
/** Of the last words of a search that failed. */
const SAID_CHARACTERS_MAX = 300;

/** What a GPU backend needs, besides its libraries. */
const NEEDED: Readonly<Partial<Record<Backend, string>>> = {
  cuda: 'the NVIDIA driver and the runtime of CUDA 13 or 12 (libcudart, libcublas)',
  vulkan: 'the driver of the GPU and libvulkan.so.1',
};

/** What can be found out about this machine's GPUs without loading a backend. A parameter, so that tests can replace it. */
export interface Machine {
  readonly backends: readonly Backend[];
  installed(backend: Backend): boolean;
  /** In a child process, so that a crash of a driver ends only that. */
  probe(backend: Backend): Probed;
  hasNvidiaDriver(): boolean;
  hasRenderNode(): boolean;
}

const thisMachine: Machine = {
  backends: platform().backends,
  installed: (backend) => libraries(backend) !== null,
  probe(backend) {
    return search([fileURLToPath(entryFile('engine/addon/probe-devices')), backend]);
  },
  hasNvidiaDriver: () => existsSync('/proc/driver/nvidia/version') || existsSync('/dev/nvidiactl'),
  hasRenderNode: () =>
    existsSync('/dev/dri') && readdirSync('/dev/dri').some((name) => name.startsWith('renderD')),
};

/** Runs a search in a child process with these arguments. Its standard output is ignored: drivers may print there. */
export function search(args: readonly string[]): Probed {
  return probedBy(
    spawnSync(process.execPath, args, {
      encoding: 'utf8',
      timeout: PROBE_TIMEOUT_MS,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    }),
  );
}

/** Reads what the process of a search has reported on file descriptor 3, or how it ended. */
export function probedBy({ status, signal, error, output, stderr }: SpawnSyncReturns<string>): Probed {
  const reported = status === 0 ? readReport(output[3] ?? '') : null;
  if (reported !== null) return reported;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const ending =
    code === 'ETIMEDOUT'
      ? `has not ended within ${PROBE_TIMEOUT_MS / 1_000} s`
      : status === 0
        ? 'reported nothing that can be read'
        : `ended with ${signal ?? code ?? `status ${status}`}`;
  const said = oneLine(stderr ?? '').slice(-SAID_CHARACTERS_MAX);
  return { devices: [], failure: `its search ${ending}${said === '' ? '' : `: ${said}`}` };
}

function readReport(text: string): Probed | null {
  try {
    return JSON.parse(text) as Probed;
  } catch {
    return null;
  }
}

/** The backend to load, and what the operator should know about the choice. */
interface BackendDecision {
  readonly backend: Backend;
  /** Null, or one sentence about a GPU that is not used and the command that enables it. */
  readonly notice: string | null;
}

/**
 * Chooses the backend: `auto` takes the best one that finds a device and falls back to the CPU; a named GPU
 * backend that finds no device is an error, never a silent fallback.
 */
export function chooseBackend(choice: BackendChoice, machine: Machine = thisMachine): BackendDecision {
  if (choice === 'cpu') return { backend: cpuBackend(machine), notice: null };
  if (choice !== 'auto') return { backend: requireGpu(choice, machine), notice: null };
  const failures = new Map<Backend, string | null>();
  for (const backend of machine.backends) {
    if (backend === 'cpu' || !machine.installed(backend)) continue;
    const { devices, failure } = machine.probe(backend);
    if (devices.some(({ gpu }) => gpu)) return { backend, notice: null };
    failures.set(backend, failure);
  }
  return { backend: cpuBackend(machine), notice: unusedGpu(machine, failures) };
}

/** On a Mac the Metal libraries also compute on the CPU; elsewhere the CPU has its own libraries. */
function cpuBackend(machine: Machine): Backend {
  return machine.backends.includes('cpu') ? 'cpu' : (machine.backends[0] ?? 'cpu');
}

function requireGpu(backend: Backend, machine: Machine): Backend {
  if (!machine.backends.includes(backend)) {
    throw new BackendError(`engine.backend: ${backend} does not exist on this platform.`);
  }
  if (!machine.installed(backend)) {
    throw new BackendError(
      `engine.backend: the libraries for ${backend} are not installed. ${remedyFor(backend)}`,
    );
  }
  const { devices, failure } = machine.probe(backend);
  if (devices.some(({ gpu }) => gpu)) return backend;
  throw new BackendError(
    `engine.backend: ${backend} finds no GPU${because(failure)}.${needs(backend)} To use none, choose auto or cpu.`,
  );
}

const because = (failure: string | null) => (failure === null ? '' : `: ${failure}`);

function needs(backend: Backend): string {
  const needed = NEEDED[backend];
  return needed === undefined ? '' : ` It needs ${needed}.`;
}

/** `failures`: the installed backends that find no GPU, and why. */
function unusedGpu(machine: Machine, failures: ReadonlyMap<Backend, string | null>): string | null {
  const lacks = (backend: Backend) => machine.backends.includes(backend) && !machine.installed(backend);
  const findsNone = (backend: Backend) =>
    `is present, but ${backend} finds none${because(failures.get(backend) ?? null)}.${needs(backend)}`;
  if (machine.hasNvidiaDriver()) {
    if (lacks('cuda')) return `An NVIDIA GPU is present but not used. ${remedyFor('cuda')}`;
    if (failures.has('cuda')) return `An NVIDIA GPU ${findsNone('cuda')}`;
  }
  if (machine.hasRenderNode()) {
    if (lacks('vulkan')) return `A GPU is present but not used. ${remedyFor('vulkan')}`;
    if (failures.has('vulkan')) return `A GPU ${findsNone('vulkan')}`;
  }
  return null;
}
