import { randomInt } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A new id of a call: `req_` and 24 letters or digits (contract 4.1, `X-Request-Id`). */
export function newRequestId(): string {
  let id = 'req_';
  for (let at = 0; at < 24; at += 1) id += LETTERS[randomInt(LETTERS.length)];
  return id;
}
