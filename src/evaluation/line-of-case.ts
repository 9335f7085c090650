import type { Case } from './cases/case.js';
import { bodyOf } from './variants.js';

const RAW = 'raw_probabilities';
/** Fields of a batch line that the body of a decision does not have: those of a case have no meaning. */
const OF_LINE = ['custom_id', 'task', 'label_mass', 'option_rotations'];

/**
 * A case as a line of a batch file, whose results `decider eval --results` reads. The order of keys and the form of numbers
 * are kept. Raw probabilities are asked for, unless the case says otherwise.
 *
 * @param model replaces the model that the case names; null: as the case says
 */
export function batchLine(asked: Case, model: string | null): string {
  const saysRaw = (JSON.parse(asked.request)[RAW] ?? null) !== null;
  const body = bodyOf(asked, 'sent', model, saysRaw ? OF_LINE : [...OF_LINE, RAW]);
  return `{"custom_id":${JSON.stringify(asked.id)},${saysRaw ? '' : `"${RAW}":true,`}${body.slice(1)}`;
}
