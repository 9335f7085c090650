import type { Case } from './cases/case.js';
import { bodyOf } from './variants.js';

/**
 * A case as a line of a batch file, whose results `decider eval --results` reads. The order of keys and the form of numbers
 * are kept. Raw probabilities are asked for, unless the case says otherwise.
 *
 * @param model replaces the model that the case names; null: as the case says
 */
export function batchLine(asked: Case, model: string | null): string {
  const body = bodyOf(asked, 'sent', model);
  const raw = '"raw_probabilities"';
  const asksRaw = Object.hasOwn(JSON.parse(body), 'raw_probabilities');
  return `{"custom_id":${JSON.stringify(asked.id)},${asksRaw ? '' : `${raw}:true,`}${body.slice(1)}`;
}
