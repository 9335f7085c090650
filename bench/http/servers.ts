import { requestBodies, requestBytes } from './bodies.js';
import { Connection } from './connection.js';
import { KINDS, type Kind, type TransportName } from './kinds.js';
import { Server } from './server.js';

/** Starts a server of every kind on one transport. Rejects if the transport does not load. */
export async function startServers(transport: TransportName): Promise<Server[]> {
  const servers: Server[] = [];
  try {
    const ours = await Server.start('ours', transport, '');
    servers.push(ours);
    const answer = await answerOf(ours);
    for (const kind of Object.keys(KINDS) as Kind[]) {
      if (kind !== 'ours') servers.push(await Server.start(kind, transport, answer));
    }
    return servers;
  } catch (error) {
    await Promise.all(servers.map((server) => server.stop()));
    throw error;
  }
}

async function answerOf(server: Server): Promise<string> {
  const connection = await Connection.open(server.port);
  const answer = await connection.ask(requestBytes(requestBodies()[0] as Buffer, server.token));
  connection.close();
  return answer.toString();
}
