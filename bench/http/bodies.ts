import { uniform } from '../../models/tiny/random.js';
import { WORDS } from '../../models/tiny/words.js';

export const BODY_BYTES = 1_024;
const BODIES = 256;

/** Decide requests of 1 KB with three questions, each with a different state. */
export function requestBodies(): Buffer[] {
  const next = uniform(1, 'bodies');
  const word = () => WORDS[Math.floor(((next() + 1) / 2) * WORDS.length)] as string;
  return Array.from({ length: BODIES }, () => {
    const questions = {
      urgent: { type: 'noul', instructions: 'Does the customer need an answer today?' },
      team: {
        type: 'choice',
        instructions: 'Which team should answer?',
        criteria: { billing: 'payments and refunds', technical: 'errors in the product', sales: null },
      },
      mood: { type: 'score', instructions: 'How angry?', criteria: ['calm', 'annoyed', 'angry', 'furious'] },
    };
    const room = BODY_BYTES - JSON.stringify({ state: '', questions }).length;
    let state = '';
    while (state.length < room) state += `${word()} `;
    return Buffer.from(JSON.stringify({ state: state.slice(0, room), questions }));
  });
}

/** The bytes of a keep-alive request with the token of its caller. */
export function requestBytes(body: Buffer, token: string): Buffer {
  const head = [
    'POST /v1/decide HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}
