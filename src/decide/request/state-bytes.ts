import { scanBody } from './scan.js';

/** The bytes of a body's `state` as they were sent; of a body that `readRequest` accepts. Equal ones are equal states. */
export function stateBytes(body: Buffer): Buffer {
  const range = scanBody(body, ['state']).get('state');
  return range === undefined ? body.subarray(0, 0) : body.subarray(range.start, range.end);
}
