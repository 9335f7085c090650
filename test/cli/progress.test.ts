import { test } from 'tap';
import { ANNOUNCED_MS_MIN, loadProgress } from '../../src/cli/serve.js';
import { buildOf } from '../support/engine.js';

test('progress: a line per quarter of what takes long, and again when the build is loaded again', async (t) => {
  const lines: string[] = [];
  let time = 0;
  const report = loadProgress(
    (line) => lines.push(line),
    () => time,
  );
  const load = (ms: number) => {
    const build = buildOf('a.gguf');
    lines.length = 0;
    report(build, 0);
    time += ms;
    for (const fraction of [0.2, 0.25, 0.3, 0.5, 1, 1]) report(build, fraction);
    return lines.map((line) => line.replace(`loading ${build.id}: `, ''));
  };
  t.strictSame(load(ANNOUNCED_MS_MIN), ['25 %', '50 %', '100 %']);
  t.strictSame(load(ANNOUNCED_MS_MIN - 1), []);
  t.strictSame(load(ANNOUNCED_MS_MIN), ['25 %', '50 %', '100 %']);
});
