import { join } from 'node:path';
import { showCount } from '../base/index.js';
import { MASTER_KEY_FILE } from '../sealing/index.js';
import { verifyBatches } from '../storage/folder/batches/index.js';
import {
  hasMasterKey,
  problemsOfLists,
  reconcile,
  requireNoDataKeys,
  Sealer,
  type Store,
  TABLES,
  type TableName,
} from '../storage/folder/index.js';
import { verifyTasks } from '../storage/folder/tasks/index.js';
import { type Finding, ok, printFindings } from './findings.js';
import type { Options } from './output.js';
import { withStore } from './with-store.js';

/** Problems printed per check. */
const PROBLEMS_MAX = 100;

/** `decider verify`: reads everything in the data folder, prints a line per check, and sets the exit status. */
export const verify = (options: Options) =>
  withStore(
    options,
    'To check a database, run: decider doctor',
    (store, { master_key: given }) => {
      store.refresh();
      return printFindings(examine(store, given), options);
    },
    { readOnly: true },
  );

/** Every check runs in one turn of the event loop, so that it reads one snapshot. The ledger's is a later one. */
function examine(store: Store, given: string): Finding[] {
  return [
    ...examineTables(store),
    ...examineLists(store),
    ...examineSeals(store, given),
    ...examineLedger(store),
  ];
}

function examineTables(store: Store): Finding[] {
  return check('tables', (report) => {
    const names = Object.keys(TABLES) as TableName[];
    const entries = names.reduce((sum, name) => sum + store.table(name).verify(report), 0);
    return `${names.length} tables, ${count(entries, 'entry', 'entries')}`;
  });
}

/** Those in which the operator's interface finds workspaces and keys. */
function examineLists(store: Store): Finding[] {
  return check('lists', (report) => {
    for (const sentence of problemsOfLists(store)) report(sentence);
    return 'have all workspaces and keys';
  });
}

function examineSeals(store: Store, given: string): Finding[] {
  if (!hasMasterKey(store))
    return check('master key', () => {
      requireNoDataKeys(store);
      return 'does not exist yet; the first start creates it';
    });
  let sealer: Sealer | undefined;
  const key = check('master key', () => {
    sealer = new Sealer(store, given);
    return given === '' ? join(store.folder, MASTER_KEY_FILE) : 'the setting master_key';
  });
  if (sealer === undefined) return key;
  const opened = sealer;
  let owners: ReadonlySet<string> = new Set();
  const tasks = check('tasks', (report) => {
    const { tasks, versions, answers, labels, ids } = verifyTasks(store, opened, report);
    owners = ids;
    return `${count(tasks, 'task', 'tasks')}, ${count(versions, 'version', 'versions')}, ${count(answers, 'answer', 'answers')}, ${count(labels, 'label', 'labels')}`;
  });
  const batches = check('batches', (report) => {
    const { batches, lines } = verifyBatches(store, opened, owners, report);
    return `${count(batches, 'batch', 'batches')}, ${count(lines, 'line', 'lines')}`;
  });
  return [...key, ...batches, ...tasks];
}

function examineLedger(store: Store): Finding[] {
  return check('ledger', (report) => {
    for (const sentence of reconcile(store).problems) report(sentence);
    return 'adds up';
  });
}

/** Findings of a check: its summary, or the problems that it reported and the error that ended it. */
function check(name: string, look: (report: (problem: string) => void) => string): Finding[] {
  const problems: string[] = [];
  let more = 0;
  const report = (sentence: string) => {
    if (problems.length < PROBLEMS_MAX) problems.push(sentence);
    else more += 1;
  };
  try {
    const summary = look(report);
    if (problems.length === 0) return [ok(name, summary)];
  } catch (error) {
    report((error as Error).message);
  }
  if (more > 0) problems.push(`${more} more`);
  return problems.map((detail) => ({ check: name, ok: false, detail }));
}

const count = (value: number, one: string, many: string) => `${showCount(value)} ${value === 1 ? one : many}`;
