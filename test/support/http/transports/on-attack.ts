import { nodeTransport } from '../../../../src/http/transport/node-transport.js';
import type { ListenOptions, Transport } from '../../../../src/http/transport/transport-types.js';

/** node:http under the name of uWebSockets.js, which does something when bytes of an attack cannot be read as a request. */
export const onAttack = (act: () => void): Transport => ({
  name: 'uws',
  listen: (options: ListenOptions) =>
    nodeTransport.listen({
      ...options,
      refuse: (status) => {
        act();
        return options.refuse(status);
      },
    }),
});
