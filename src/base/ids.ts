import { randomInt } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Random letters and digits, 5.95 bits each, from the system's cryptographic generator. */
export function randomLetters(length: number): string {
  let text = '';
  for (let at = 0; at < length; at += 1) text += LETTERS[randomInt(LETTERS.length)];
  return text;
}
