import { randomLetters } from '../base/index.js';

/** A new id of a call: `req_` and 24 letters or digits (contract 4.1 `X-Request-Id`). */
export const newRequestId = (): string => `req_${randomLetters(24)}`;
