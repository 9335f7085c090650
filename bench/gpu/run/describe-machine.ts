import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { machine, usableCores } from '../../../src/base/index.js';
import { runCommand } from './command.js';

const GPU_FIELDS =
  'name,driver_version,memory.total,compute_cap,clocks.max.sm,clocks.max.memory,power.limit,pcie.link.gen.max';

/** The machine, as far as it can be asked. */
export async function describeMachine(stop: AbortSignal): Promise<Record<string, unknown>> {
  const ask = async (program: string, ...args: string[]) => {
    try {
      return (await runCommand(program, args, { stop })).stdout.trim();
    } catch {
      return null;
    }
  };
  return {
    machine: machine(),
    processors: usableCores(),
    memory_bytes: totalmem(),
    kernel: readFileSync('/proc/version', 'utf8').trim(),
    gpu: await ask('nvidia-smi', `--query-gpu=${GPU_FIELDS}`, '--format=csv'),
    nvcc: (await ask('nvcc', '--version'))?.split('\n').at(-1) ?? null,
    libraries: process.env.LD_LIBRARY_PATH ?? '',
  };
}
