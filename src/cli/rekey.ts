import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError, randomLetters } from '../base/index.js';
import { loadSettings } from '../settings/index.js';
import { rekey as rekeyAlone } from '../storage/folder/index.js';
import { dataFileOf, type Rekeyed, readOutcome, servingPid, servingProcess } from '../storage/index.js';
import { type Options, print, printJson, reportError } from './output.js';
import { lockRequest, type RekeyRequest, readRequest, removeRequest, writeRequest } from './rekey-request.js';
import { signalServer } from './signals.js';
import { refuseDatabase, requireStore } from './with-store.js';

/** How long the command waits for a server. */
const ANSWER_MS_MAX = 600_000;
const POLL_MS = 20;

/** `decider rekey`: changes the master key, in the server of the data folder if one runs. */
export const rekey = (options: Options & { readonly newKey?: string }) =>
  reportError(async () => {
    const settings = loadSettings(process.env, options.config);
    refuseDatabase(
      settings,
      'Its master key cannot be changed in place: stop the servers, move the data to a folder (decider store move --to folder), change the key there, and move it back.',
    );
    const { data, master_key: given } = settings;
    requireStore(data);
    const newKeyFile = options.newKey === undefined ? null : resolve(options.newKey);
    const isServed = servingProcess(data) !== null;
    const rekeyed = isServed
      ? await rekeyByServer(data, newKeyFile)
      : await rekeyAlone(data, given, newKeyFile);
    if (options.json) return printJson({ data_keys: rekeyed.dataKeys, earlier_key: rekeyed.earlier });
    show(rekeyed, isServed);
  });

function show({ dataKeys, earlier }: Rekeyed, isServed: boolean): void {
  print(
    dataKeys === null
      ? 'An earlier run had encrypted the data keys with the new master key.'
      : `Data keys encrypted with the new master key: ${dataKeys}.`,
  );
  if (earlier !== null) {
    print(`Keep ${earlier} for earlier backups, and back up the new master.key.`);
    return;
  }
  print('Keep the earlier master key for earlier backups.');
  print(
    isServed
      ? 'Configure the new one (master_key), then run: decider reload, or restart the server, if it is a variable (DECIDER_MASTER_KEY). Leave its file in place until then.'
      : 'Configure the new one (master_key) before the next start.',
  );
}

/** Throws OperatorError. */
async function rekeyByServer(data: string, newKeyFile: string | null): Promise<Rekeyed> {
  const pid = servingPid(data);
  if (readOutcome(data)?.pid !== pid) {
    throw new OperatorError(
      `Process ${pid} is starting or stopping, or is of a version that cannot change the master key while it runs.`,
    );
  }
  requireUserOf(data, pid);
  // A request that is being carried out must not be replaced: its command would not read the outcome.
  const unlock = lockRequest(data);
  if (unlock === null) {
    throw new OperatorError('Another decider rekey is running. Repeat the command when it has ended.');
  }
  try {
    return await requestChange(data, pid, newKeyFile);
  } finally {
    unlock();
  }
}

/** Throws OperatorError. */
async function requestChange(data: string, pid: number, newKeyFile: string | null): Promise<Rekeyed> {
  const id = randomLetters(24);
  try {
    writeRequest(data, { id, pid: process.pid, newKeyFile, outcome: null });
    signalServer(pid);
    const { error, ...rekeyed } = await outcomeOf(data, pid, id);
    if (error !== null) throw new OperatorError(error);
    return rekeyed;
  } finally {
    if (readRequest(data)?.id === id) removeRequest(data);
  }
}

/** The server must be able to read the request. */
function requireUserOf(data: string, pid: number): void {
  const user = process.geteuid?.();
  if (user === undefined || statSync(dataFileOf(data)).uid === user) return;
  throw new OperatorError(
    `Run the command as the user of process ${pid}, which owns the data folder ${data}.`,
  );
}

/** Throws OperatorError if the server ends before it answers. */
async function outcomeOf(
  data: string,
  pid: number,
  id: string,
): Promise<NonNullable<RekeyRequest['outcome']>> {
  const end = performance.now() + ANSWER_MS_MAX;
  while (performance.now() < end) {
    // Before the answer is read: the server may answer and then end.
    const isRunning = servingProcess(data) !== null && servingPid(data) === pid;
    const found = readRequest(data);
    if (found?.id === id && found.outcome !== null) return found.outcome;
    if (!isRunning) {
      throw new OperatorError(`Process ${pid} has ended before it answered. Repeat the command.`);
    }
    if (found?.id !== id) {
      throw new OperatorError(`The request to process ${pid} was removed. Repeat the command.`);
    }
    await sleep(POLL_MS);
  }
  throw new OperatorError(`Process ${pid} has not answered within ${ANSWER_MS_MAX / 1_000} s.`);
}
