import { LIMITS } from '../../src/api/index.js';

const QUESTIONS = { q: { type: 'noul', instructions: 'Is it?' } };

/** The largest possible body: one string. */
export function largestText(): Buffer {
  const room = LIMITS.bodyBytes - JSON.stringify({ state: '', questions: QUESTIONS }).length;
  const state = 'the parcel was lost '.repeat(room / 20 + 1).slice(0, room);
  return Buffer.from(JSON.stringify({ state, questions: QUESTIONS }));
}

/** The maximum number of objects and arrays, padded with white space to the largest size. */
export function mostContainers(): Buffer {
  // The remaining ones are the body, `questions`, the question and the outer array of the state.
  const state = Array.from({ length: LIMITS.jsonContainers - 4 }, () => []);
  const json = JSON.stringify({ state, questions: QUESTIONS });
  return Buffer.from(json.padEnd(LIMITS.bodyBytes, ' '));
}

/** A question that is refused by the last check: no part of a long string may return to the main thread. */
export function longestInstructions(): Buffer {
  const empty = { state: 'x', questions: { q: { type: 'noul', instructions: '' } } };
  const room = LIMITS.bodyBytes - JSON.stringify(empty).length;
  return Buffer.from(
    JSON.stringify({ state: 'x', questions: { q: { type: 'noul', instructions: 'a'.repeat(room) } } }),
  );
}
