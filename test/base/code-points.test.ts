import { test } from 'tap';
import { exceedsCodePoints } from '../../src/base/index.js';

test('characters are counted as code points, whatever their code units', async (t) => {
  for (const character of ['a', 'é', '😀', '\ud800']) {
    for (const max of [0, 1, 3, 64]) {
      t.notOk(exceedsCodePoints(character.repeat(max), max), `${character}: ${max}`);
      t.ok(exceedsCodePoints(character.repeat(max + 1), max), `${character}: ${max + 1}`);
    }
  }
  t.notOk(exceedsCodePoints('😀a😀', 3));
  t.ok(exceedsCodePoints('😀aa😀', 3));
});
