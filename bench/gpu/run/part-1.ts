// Part 1: is the machine usable, and are the answers of its GPU right?
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../../src/base/index.js';
import { runCommand } from './command.js';
import { compileSteps } from './compile-here.js';
import { describeMachine } from './describe-machine.js';
import type { Kit } from './kit.js';
import type { Step } from './steps.js';
import { runTest, type TestResult } from './tests.js';
import { tuneModel } from './tune.js';

/** The tests that also run on a CPU, where the runs of the project have all of them. */
const SHORT_TESTS = /\/independent\.test\.js$/;
/** At most about so many minutes of measurements in `tune`. */
const TUNE_MINUTES = 1;

export function part1(kit: Kit): Step[] {
  const { backend } = kit;
  const verify: Step = {
    name: 'verify-bundle',
    limit: 60,
    run: ({ stop }) => kit.decider(['verify-bundle'], { stop }),
  };
  const tune: Step = {
    name: 'tune, random model',
    limit: 120,
    run: ({ stop }) => tuneModel(kit, undefined, TUNE_MINUTES, stop),
  };
  return [
    { name: 'machine', limit: 30, run: ({ stop }) => describeMachine(stop) },
    // What was compiled here is not in the manifest.
    ...(kit.isAsPacked ? [verify] : []),
    ...compileSteps(kit),
    { name: 'doctor', limit: 60, run: ({ stop }) => doctor(kit, stop) },
    {
      name: 'bench:devices',
      limit: 90,
      run: ({ stop }) => kit.benchmark('devices', ['--backend', backend, ...few(kit)], stop),
    },
    { name: 'tests of the engine', limit: 150, run: ({ stop, keep }) => runTests(kit, stop, keep) },
    // On a CPU, part 2 runs the same command.
    ...(backend === 'cuda' ? [tune] : []),
  ];
}

const few = ({ backend }: Kit): string[] => (backend === 'cpu' ? ['--requests', '4'] : []);

/** `doctor` exits with status 1 if it finds a problem, such as a small disk; its findings are the result. */
async function doctor(kit: Kit, stop: AbortSignal): Promise<unknown> {
  const options = {
    folder: kit.root,
    variables: kit.variables({ DECIDER_DATA: kit.folder('no-data') }),
    stop,
  };
  const args = [join(kit.root, 'bin/decider.mjs'), 'doctor', '--json'];
  const { stdout, tail } = await runCommand(process.execPath, args, options);
  return stdout.startsWith('[') || stdout.startsWith('{') ? JSON.parse(stdout) : { output: tail };
}

/** Runs the test files of the kit one by one. */
async function runTests(
  kit: Kit,
  stop: AbortSignal,
  keep: (partial: unknown) => void,
): Promise<readonly TestResult[]> {
  const folder = 'dist/test';
  const rooms = readdirSync(join(kit.root, folder)).filter((room) => room !== 'support');
  const files = rooms.flatMap((room) =>
    readdirSync(join(kit.root, folder, room))
      .filter((file) => file.endsWith('.test.js'))
      .map((file) => `${folder}/${room}/${file}`),
  );
  const results: TestResult[] = [];
  for (const file of files.filter((each) => kit.backend === 'cuda' || SHORT_TESTS.test(each))) {
    if (stop.aborted) break;
    results.push(await runTest(kit, file, stop));
    keep(results);
  }
  const bad = results.filter(({ failed, ended }) => failed.length > 0 || ended !== undefined);
  if (bad.length > 0) throw new OperatorError(`failed: ${bad.map(({ file }) => file).join(', ')}`);
  return results;
}
