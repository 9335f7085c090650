import { runCommand } from './command.js';
import type { Kit } from './kit.js';

/** What a test file reported. */
export interface TestResult {
  readonly file: string;
  readonly passed: number;
  /** The names of the tests that failed, with what follows them up to the next one. */
  readonly failed: readonly string[];
  /** How the process ended, if not with status 0 or 1. */
  readonly ended?: string;
}

const DETAIL_CHARACTERS = 600;
/** Of a file; its tests have no limits of their own. */
const SECONDS_MAX = 120;

/**
 * Runs a test file on the kit's backend. `TF32`, a shorter format of cuBLAS, is off: the tests compare exact formats.
 * llama.cpp's own kernels for 4 to 16 columns use it nevertheless; the tolerance of the tests allows for that.
 */
export async function runTest(kit: Kit, file: string, stop: AbortSignal): Promise<TestResult> {
  const { stdout, tail, code, signal } = await runCommand(process.execPath, [file], {
    folder: kit.root,
    variables: kit.variables({
      TEST_BACKEND: kit.backend,
      TAP_CWD: kit.folder('tmp'),
      NVIDIA_TF32_OVERRIDE: '0',
      TAP_TIMEOUT: String(SECONDS_MAX),
    }),
    stop,
  });
  const found = readTap(stdout);
  const crashed = signal !== null || (code !== 0 && found.failed.length === 0);
  return {
    file,
    ...found,
    ...(crashed ? { ended: `${signal ?? `status ${code}`}: ${tail.slice(-DETAIL_CHARACTERS)}` } : {}),
  };
}

/** Counts the tests of a file in its output (TAP), without those inside them. */
export function readTap(text: string): Pick<TestResult, 'passed' | 'failed'> {
  const parts = text.split(/^(?=(?:not )?ok \d+)/m);
  const failed = parts.filter((part) => part.startsWith('not ok') && !/^[^\n]*# (skip|todo)/i.test(part));
  const passed = parts.filter((part) => part.startsWith('ok ') && !/^[^\n]*# skip/i.test(part));
  return { passed: passed.length, failed: failed.map((part) => part.slice(0, DETAIL_CHARACTERS).trim()) };
}
