import { uniform } from '../../models/tiny/random.js';
import { WORDS } from '../../models/tiny/words.js';

const RECORD_WORDS = 100;

/** A decide request of about the given size: a state of records, each an object with a long string. */
export function decideBody(bytes: number): Buffer {
  const next = uniform(1, 'records');
  const word = () => WORDS[Math.floor(((next() + 1) / 2) * WORDS.length)] as string;
  const words = (count: number) => Array.from({ length: count }, word).join(' ');
  const questions = {
    angry: { type: 'noul', instructions: 'Is the customer angry?' },
    team: { type: 'choice', criteria: ['billing', 'technical', 'sales'] },
  };
  const state: unknown[] = [];
  let size = JSON.stringify({ state, questions }).length;
  do {
    const room = Math.max(1, Math.min(RECORD_WORDS, Math.floor((bytes - size) / 6)));
    const record = { id: state.length, score: next(), seen: next() > 0, text: `"${words(room)}"\n` };
    state.push(record);
    size += JSON.stringify(record).length + 1;
  } while (size < bytes);
  return Buffer.from(JSON.stringify({ state, questions }));
}
