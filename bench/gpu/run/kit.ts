import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../../src/base/index.js';
import { type CommandOptions, requireSuccess, runCommand } from './command.js';

/** Where a kit has the sources of the CUDA backend, if it is not compiled. */
export const CUDA_SOURCES = 'llama.cpp';

/** `kit.json`, beside `run.sh`. */
export interface KitDescription {
  readonly version: string;
  readonly backend: 'cuda' | 'cpu';
  /** The release of llama.cpp. */
  readonly llama: string;
  /** Whether llama.cpp's CUDA backend was compiled when the kit was made, and not on the machine. */
  readonly compiled: boolean;
  /** Whether llama.cpp's own server is in the kit. */
  readonly server: boolean;
}

/** Characters of the end of a benchmark's output that are kept. */
const PRINTED_CHARACTERS = 3_000;

/** The unpacked kit on the machine that it measures. */
export class Kit {
  readonly description: KitDescription;
  /** Models, data folders and what is compiled here. */
  readonly work: string;

  constructor(
    /** The folder of the program. */
    readonly root: string,
    folder: string,
    work: string,
  ) {
    this.description = JSON.parse(readFileSync(join(folder, 'kit.json'), 'utf8'));
    this.work = work;
    mkdirSync(work, { recursive: true });
  }

  get backend(): 'cuda' | 'cpu' {
    return this.description.backend;
  }

  /** Whether nothing was compiled into the folder of the program. */
  get isAsPacked(): boolean {
    return (
      this.backend === 'cpu' || this.description.compiled || !existsSync(join(this.work, 'cuda-objects'))
    );
  }

  /** A folder below `work`, made if it is missing. */
  folder(name: string): string {
    const folder = join(this.work, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** The settings of every program of the kit, with those of one of them. */
  variables(own: Readonly<Record<string, string>> = {}): Record<string, string> {
    // Threads of a CPU that is shared wait for each other in busy loops.
    const threads = this.backend === 'cpu' ? { DECIDER_ENGINE_THREADS: '1' } : {};
    return { DECIDER_ENGINE_BACKEND: this.backend, TMPDIR: this.folder('tmp'), ...threads, ...own };
  }

  /** Runs a script of the program. Rejects with the end of its output if it fails. */
  async script(path: string, args: readonly string[], options: CommandOptions): Promise<string> {
    const variables = this.variables(options.variables);
    const ended = await runCommand(process.execPath, [join(this.root, path), ...args], {
      folder: this.root,
      ...options,
      variables,
    });
    requireSuccess(`${path} ${args[0] ?? ''}`.trim(), ended);
    return ended.stdout;
  }

  /** Runs a command of `decider`. */
  decider(args: readonly string[], options: CommandOptions): Promise<string> {
    return this.script('bin/decider.mjs', args, options);
  }

  /** Runs a benchmark. Resolves with the file that it writes with `--json`, and the end of what it printed. */
  async benchmark(name: string, args: readonly string[], stop: AbortSignal): Promise<unknown> {
    const file = join(this.folder('results'), `${name}-${process.hrtime.bigint()}.json`);
    const printed = await this.script(`dist/bench/${name}.js`, [...args, '--json', file], { stop });
    return { ...(readJson(file) as object), printed: printed.slice(-PRINTED_CHARACTERS) };
  }
}

export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${(error as Error).message}`);
  }
}
