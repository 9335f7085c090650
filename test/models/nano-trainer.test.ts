import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { LONG } from '../support/scale.js';
import { ROOT } from '../support/sources.js';

/** Another interpreter than python3, such as one of a virtual environment with PyTorch. */
const PYTHON = process.env['NANO_PYTHON'] ?? 'python3';
const TRAINER = join(ROOT, 'models/nano/trainer');

/** Options of tests that need modules of Python: they are skipped, with a warning, where one is not installed. */
function needs(...modules: string[]): { skip?: string } {
  if (spawnSync(PYTHON, ['-c', `import ${modules.join(', ')}`]).status === 0) return {};
  const skip = `${PYTHON} LACKS ONE OF ${modules.join(', ')}: the trainer of decider-g-nano was NOT tested`;
  process.stderr.write(`\n*** ${skip} ***\n\n`);
  return { skip };
}

function unittest(t: Test, name: string): void {
  const { status, stderr } = spawnSync(PYTHON, ['-m', 'unittest', name], { cwd: TRAINER, encoding: 'utf8' });
  t.equal(status, 0, stderr);
}

test(
  'the bank: what was held out still is, and no text of an evaluation set is trained',
  needs('regex'),
  async (t) => unittest(t, 'tests.test_bank'),
);

const training = LONG ? needs('torch', 'numpy', 'regex') : { skip: 'takes minutes: only in test:long' };

test('the trainer: an interrupted run gives the same file, byte for byte', training, async (t) =>
  unittest(t, 'tests.test_training'),
);
