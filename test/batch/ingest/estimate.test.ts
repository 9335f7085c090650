import { test } from 'tap';
import { checkLine } from '../../../src/batch/ingest/check-batch-line.js';
import { READING as catalog, KNOWN } from '../../support/batch/ingest.js';

const guess = (line: object) =>
  checkLine(Buffer.from(JSON.stringify(line)), { catalog, allowed: null, tasks: KNOWN.tasks }, () => {})
    .tokens;

test('contract 2.6 estimated_cost: a choice counts again for each further order', async (t) => {
  const choice = { type: 'choice', instructions: 'Is pic it?', criteria: { ab: 'pic', cd: null, ef: 'é' } };
  const line = { custom_id: 'a', model: 'm', state: 'pic', questions: { n: { type: 'noul' }, c: choice } };
  const further = Math.ceil('Is pic it?abpiccdeféx'.length / 4);
  const rotated = (option_rotations: number, more: object = {}) =>
    guess({ ...line, ...more, option_rotations });
  t.equal(rotated(2), rotated(1) + further);
  t.equal(rotated(9), rotated(1) + 2 * further);
  const assets = { pic: { format: 'png', data_base64: '' } };
  t.equal(rotated(3, { assets }), rotated(1, { assets }) + 2 * (further + 2 * 280));
});

test('contract 2.6 estimated_cost: a token for four bytes of text, 280 for each use of an image', async (t) => {
  const questions = {
    one: { type: 'noul', instructions: 'Is pic it?' },
    two: { type: 'choice', criteria: { a: 'pic, pic', b: null } },
  };
  const line = { custom_id: 'a', model: 'm', state: 'See pic.', questions };
  const text = Math.ceil(JSON.stringify(line).length / 4);
  t.equal(guess(line), text);
  const shown = (data_base64: string) => guess({ ...line, assets: { pic: { format: 'png', data_base64 } } });
  const frame = Math.ceil(
    JSON.stringify({ ...line, assets: { pic: { format: 'png', data_base64: '' } } }).length / 4,
  );
  t.equal(shown('A'.repeat(4)), frame + 4 * 280);
  t.equal(shown('A'.repeat(1_000_000)), frame + 4 * 280, 'however large its file');
});
