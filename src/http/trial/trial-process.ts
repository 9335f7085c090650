// Started by try-uws.ts as a child process: sends the known attacks to a loopback socket of uWebSockets.js and reports
// what became of them. A fault of the library ends only this process.
import { readFileSync, writeSync } from 'node:fs';
import { closeDebugger, systemClock } from '../../base/index.js';
import { createConnectionBounds } from '../transport/connection-bounds.js';
import type { Handler, ListenOptions, Transport } from '../transport/transport-types.js';
import { KNOWN_ATTACKS } from './known-attacks.js';
import { checkLastAnswer, sendAttacks } from './send-attacks.js';
import { type TrialReport, type TrialTask, tokenOf } from './trial-messages.js';

const REPORT_FD = 3;
const LISTEN = { host: '127.0.0.1', port: 0, tls: null, keepAliveMs: 10_000, clock: systemClock } as const;

closeDebugger();
const task: TrialTask = JSON.parse(readFileSync(0, 'utf8'));
try {
  report(await trial());
} catch (error) {
  report({ broken: (error as Error).message });
}
// The library keeps the event loop alive.
process.exit(0);

function report(found: TrialReport): void {
  writeSync(REPORT_FD, `${JSON.stringify(found)}\n`);
}

async function trial(): Promise<TrialReport> {
  const { loadUws } = (await import(task.module)) as { loadUws: () => Promise<Transport> };
  let transport: Transport;
  try {
    transport = await loadUws();
  } catch (error) {
    return { unloaded: (error as NodeJS.ErrnoException).code ?? '' };
  }
  // What the library alone must refuse, without the rest of the server, which takes longer to load.
  const byLibrary = KNOWN_ATTACKS.filter((attack) => attack.byLibrary);
  const hidden = new Set<string>();
  const bounds = createConnectionBounds();
  const library = await transport.listen({ ...LISTEN, bounds, ...bare(hidden) });
  const byLibraryAlone = await sendAttacks({ port: library.port, executed: hidden }, byLibrary);
  if (byLibraryAlone.length > 0) return { executed: byLibraryAlone };
  const { listenTrial } = await import('./trial-server.js');
  const executed = new Set<string>();
  const { port } = await listenTrial(transport, executed);
  const found = await sendAttacks({ port, executed }, KNOWN_ATTACKS);
  if (found.length > 0) return { executed: found };
  await checkLastAnswer(port);
  return { refused: KNOWN_ATTACKS.length };
}

/** Answers every request at once. */
function bare(executed: Set<string>): Pick<ListenOptions, 'handler' | 'refuse' | 'refusePlain'> {
  const reply = { status: 200, headers: [], body: '{}', close: false };
  const handler: Handler = async ({ headers }) => {
    for (const [name, value] of headers) if (name === 'authorization') executed.add(tokenOf(value));
    return reply;
  };
  const refuse = (status: number) => ({ ...reply, status, close: true, unread: 'unframed' as const });
  return { handler, refuse, refusePlain: () => refuse(400) };
}
