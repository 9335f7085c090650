import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Backend, libraries, platform } from '#native/platform.mjs';
import { entryFile } from '../../base/index.js';
import type { Device } from './addon-types.js';
import { remedyFor } from './installed.js';
import { BackendError } from './load-addon.js';

/** The values of the setting `engine.backend`. */
type BackendChoice = 'auto' | Backend;

const PROBE_TIMEOUT_MS = 60_000;

/** What can be found out about this machine's GPUs without loading a backend. A parameter, so that tests can replace it. */
export interface Machine {
  readonly backends: readonly Backend[];
  installed(backend: Backend): boolean;
  /** Devices that a backend finds, in a child process, so that a crash of a driver ends only that. */
  probe(backend: Backend): readonly Device[];
  hasNvidiaDriver(): boolean;
  hasRenderNode(): boolean;
}

const thisMachine: Machine = {
  backends: platform().backends,
  installed: (backend) => libraries(backend) !== null,
  probe(backend) {
    const script = fileURLToPath(entryFile('engine/addon/probe-devices'));
    const result = spawnSync(process.execPath, [script, backend], {
      encoding: 'utf8',
      timeout: PROBE_TIMEOUT_MS,
    });
    return result.status === 0 ? (JSON.parse(result.stdout) as Device[]) : [];
  },
  hasNvidiaDriver: () => existsSync('/proc/driver/nvidia/version') || existsSync('/dev/nvidiactl'),
  hasRenderNode: () =>
    existsSync('/dev/dri') && readdirSync('/dev/dri').some((name) => name.startsWith('renderD')),
};

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
  for (const backend of machine.backends) {
    if (backend !== 'cpu' && machine.installed(backend) && findsGpu(backend, machine)) {
      return { backend, notice: null };
    }
  }
  return { backend: cpuBackend(machine), notice: unusedGpu(machine) };
}

const findsGpu = (backend: Backend, machine: Machine) => machine.probe(backend).some((device) => device.gpu);

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
  if (!findsGpu(backend, machine)) {
    throw new BackendError(
      `engine.backend: ${backend} finds no GPU. Check the driver, or choose auto or cpu.`,
    );
  }
  return backend;
}

function unusedGpu(machine: Machine): string | null {
  const lacks = (backend: Backend) => machine.backends.includes(backend) && !machine.installed(backend);
  if (machine.hasNvidiaDriver()) {
    if (lacks('cuda')) return `An NVIDIA GPU is present but not used. ${remedyFor('cuda')}`;
    if (machine.installed('cuda')) {
      return 'An NVIDIA GPU is present, but CUDA finds no device: its driver or the CUDA 12 or 13 runtime (cudart, cublas) is missing.';
    }
  }
  if (machine.hasRenderNode() && lacks('vulkan')) {
    return `A GPU is present but not used. ${remedyFor('vulkan')}`;
  }
  return null;
}
