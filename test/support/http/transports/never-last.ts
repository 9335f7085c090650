// Takes the place of uWebSockets.js in its check: ends the connection of a last request without an answer.
import { nodeTransport } from '../../../../src/http/transport/node-transport.js';
import type { ListenOptions, Transport } from '../../../../src/http/transport/transport-types.js';

const isLast = (value: string) => value.toLowerCase() === 'close';

export const loadUws = async (): Promise<Transport> => ({
  name: 'uws',
  listen: (options: ListenOptions) =>
    nodeTransport.listen({
      ...options,
      handler: (incoming) =>
        incoming.headers.some(([name, value]) => name === 'connection' && isLast(value))
          ? Promise.reject(new Error('not answered'))
          : options.handler(incoming),
    }),
});
