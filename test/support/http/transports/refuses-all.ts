// Takes the place of uWebSockets.js in its check: node:http, which refuses every known attack.
import { nodeTransport } from '../../../../src/http/transport/node-transport.js';
import type { Transport } from '../../../../src/http/transport/transport-types.js';

export const loadUws = async (): Promise<Transport> => ({ ...nodeTransport, name: 'uws' });
