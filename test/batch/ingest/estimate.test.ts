import { test } from 'tap';
import { checkLine } from '../../../src/batch/ingest/check-batch-line.js';
import { READING as catalog } from '../../support/batch/ingest.js';

const guess = (line: object) =>
  checkLine(Buffer.from(JSON.stringify(line)), { catalog, allowed: null }, () => {}).tokens;

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
