import { test } from 'tap';
import { readCase } from '../../src/evaluation/cases/case.js';
import { readResponse } from '../../src/evaluation/read-response.js';

const asked = readCase(
  Buffer.from('{"id":"1","request":{"state":"x","questions":{"q":{"type":"noul"}}},"expected":{"q":true}}'),
  1,
);
const read = (raw: Readonly<Record<'true' | 'false', number>>) => {
  const q = { type: 'noul', noul: 0.8, raw_probabilities: raw };
  return readResponse(asked, { model: 'm', answers: { q }, usage: {} }).answered[0]?.probabilities;
};

test('probabilities that another server has rounded are brought to a sum of 1', async (t) => {
  t.strictSame(read({ true: 0.951691, false: 0.04831 }), [0.9517, 0.0483], 'a sum of 1.000001');
  t.strictSame(read({ true: 0.951691, false: 0.048308 }), [0.9517, 0.0483], 'a sum of 0.999999');
  for (let at = 0; at <= 1_000; at += 1) {
    for (const rounding of [-1e-6, 1e-6, -1e-3, 1e-3]) {
      const yes = at / 1_000;
      const no = Math.max(0, Number((1 - yes + rounding).toFixed(6)));
      if (yes + no > 1 + 1e-3 + 1e-9 || no > 1) continue;
      const [p = 0, q = 0] = read({ true: yes, false: no }) ?? [];
      if (Math.round(1e4 * (p + q)) !== 1e4) t.fail(`${yes} and ${no}: ${p} and ${q}`);
    }
  }
  t.throws(() => read({ true: 0.5, false: 0.52 }), { name: 'BadAnswer', message: /sum to 1\.02$/ });
});
