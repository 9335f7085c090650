// Takes the place of uWebSockets.js in its check: closes every connection.
import { type AddressInfo, createServer } from 'node:net';

export const loadUws = async () => ({
  name: 'uws',
  listen: () =>
    new Promise((resolve) => {
      const server = createServer((socket) => socket.destroy());
      server.listen(0, '127.0.0.1', () => resolve({ port: (server.address() as AddressInfo).port }));
    }),
});
