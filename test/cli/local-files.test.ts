import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { sortFiles } from '../../src/cli/add-model.js';
import { splitName } from '../support/split-gguf.js';

test('files are sorted into model and projector', async (t) => {
  const folder = t.testdir({ folder: {} });
  const file = (name: string, text = 'GGUF and more') => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [one, two, projector, other] = ['one.gguf', 'two.gguf', 'mmproj-F16.gguf', 'vision.gguf'].map(
    (name) => file(name),
  ) as [string, string, string, string];
  t.strictSame(sortFiles([one], undefined), { model: [one], projector: null });
  t.strictSame(sortFiles([projector, one], undefined), { model: [one], projector });
  t.strictSame(sortFiles([projector, one], 'none'), { model: [one], projector: null });
  t.strictSame(sortFiles([one], other), { model: [one], projector: other });
  t.strictSame(sortFiles([one, other], other), { model: [one], projector: other });
  const parts = [0, 1, 2].map((at) => file(splitName('split', at, 3)));
  t.strictSame(sortFiles([parts[2] as string], undefined).model, parts);
  t.strictSame(sortFiles(parts.toReversed(), undefined).model, parts);
  for (const [files, asked, message] of [
    [[one, two], undefined, /one\.gguf and \S*two\.gguf are two models\. Add them one by one/],
    [[projector], undefined, /^Name the GGUF of the model; a projector alone is none/],
    [[one, projector], two, /mmproj-F16\.gguf and \S*two\.gguf are two projectors/],
    [[`${one}x`], undefined, /one\.ggufx: no such file/],
    [[join(folder, 'folder')], undefined, /folder: not a regular file/],
    [[file('notes.gguf', 'no model')], undefined, /notes\.gguf: not a GGUF file\. Convert the model/],
    [[file('short.gguf', 'GG')], undefined, /short\.gguf: not a GGUF file/],
    [[file(splitName('cut', 0, 2))], undefined, /cut-00002-of-00002\.gguf: no such file/],
  ] as const) {
    t.throws(() => sortFiles(files, asked), { message });
  }
});
