import type { Random } from '../../support/random.js';
import { until } from '../../support/until.js';
import { call, callerHeaders } from './call.js';

const COUNT = 24;

/** A request, and the response to it while nothing else ran. In exact mode every later response has its bytes. */
export interface Reference {
  readonly state: string;
  readonly questions: object;
  readonly response: string;
  readonly tokens: number;
}

/** Requests of different costs, and their responses. */
export async function makeReferences(url: string, token: string, next: Random): Promise<Reference[]> {
  const references: Reference[] = [];
  while (references.length < COUNT) {
    const number = references.length;
    const state = `Case ${number}${' word'.repeat(next.integer(40))}`;
    const questions = { q: { type: 'noul', instructions: `Is it ${number}?` } };
    const init = {
      method: 'POST',
      headers: callerHeaders(token),
      body: JSON.stringify({ state, questions }),
    };
    await until(async () => {
      const outcome = await call(`${url}/v1/decide`, init);
      if (outcome.kind !== 'answered' || outcome.status !== 200) return false;
      const { usage } = JSON.parse(outcome.text) as { usage: { input_tokens: number } };
      references.push({ state, questions, response: outcome.text, tokens: usage.input_tokens });
      return true;
    });
  }
  return references;
}
