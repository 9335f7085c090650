// Takes the place of uWebSockets.js in its check: refuses every attack, and aborts when its process ends.
import { nodeTransport } from '../../../../src/http/transport/node-transport.js';

process.on('exit', () => process.abort());

export const loadUws = async () => ({ ...nodeTransport, name: 'uws' });
