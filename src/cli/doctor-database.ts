import { commandActor } from '../access/index.js';
import { systemClock } from '../base/index.js';
import type { Settings } from '../settings/index.js';
import {
  checkDatabaseKey,
  Database,
  DatabaseAdministration,
  databaseClock,
  listNodes,
  type Path,
  requireFormat,
  requireUsable,
  SKEW_MS_MAX,
  statement,
} from '../storage/database/index.js';
import { examineCalendar } from './doctor-calendar.js';
import { attempt, examineLedger, type Finding, ok, warning } from './findings.js';

/** What `decider doctor` says of the database of `store.url`. Throws OperatorError if it cannot be used. */
export async function* examineDatabase({
  store,
  master_key: given,
  billing,
}: Settings): AsyncGenerator<Finding> {
  const database = new Database(store);
  try {
    const path = await requireUsable(database);
    yield await examineClock(database, path);
    yield* examineDurability(database);
    await requireFormat(database);
    yield await attempt('master key', async () =>
      (await checkDatabaseKey(database, given))
        ? 'the setting master_key'
        : 'not recorded yet; the first start does it',
    );
    yield await examineNodes(database);
    yield* examineCalendar(database);
    const administration = new DatabaseAdministration(database, commandActor());
    yield* examineLedger(await administration.reconcile(), billing.currency);
  } finally {
    await database.close();
  }
}

/** All times are the database's; those in the logs are the host's. */
async function examineClock(database: Database, path: Path): Promise<Finding> {
  // Connects.
  await databaseClock(database);
  const began = systemClock.monotonic();
  const found = await databaseClock(database);
  const ms = systemClock.monotonic() - began;
  const ahead = Math.round(systemClock.now() - ms / 2 - found);
  const through = path === 'pooler' ? ', through a connection pooler in session mode' : '';
  const answered = `answers in ${ms.toFixed(1)} ms${through}`;
  if (Math.abs(ahead) <= SKEW_MS_MAX) return ok('database', answered);
  const difference = `${Math.abs(ahead / 1_000).toFixed(1)} s ${ahead > 0 ? 'behind' : 'ahead of'}`;
  return warning(
    'database',
    `${answered}; its clock is ${difference} that of this host.`,
    'Check both clocks (NTP): keys expire and days begin by the clock of the database.',
  );
}

const DURABILITY = statement(
  'durability',
  `SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name`,
);

/** What only the server's configuration decides; the session has `synchronous_commit`. */
async function* examineDurability(database: Database): AsyncGenerator<Finding> {
  const names = (await database.query<{ name: string }>(DURABILITY)).map(({ name }) => name);
  if (names.length === 0) return;
  yield warning(
    'durability',
    `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} off: a crash of its host can lose or damage everything.`,
    'Set both to on in postgresql.conf.',
  );
}

async function examineNodes(database: Database): Promise<Finding> {
  const serving = (await listNodes(database)).filter(({ serves }) => serves);
  const names = serving.map(({ name, version }) => `${name} (${version})`).join(', ');
  return ok('nodes', serving.length === 0 ? 'none serves' : names);
}
