import { type Key, type ListPlace, sortedName, type Workspace } from '../../../access/index.js';
import type { Store } from '../lmdb/store.js';

/** The lists of workspaces and keys in the table `lists`, each in the order of one field. */
export const LISTS = {
  workspaces: {
    id: 'workspace.id',
    created: 'workspace.created',
    granted: 'workspace.granted',
    name: 'workspace.name',
    /** Closed ones only. */
    closed: 'workspace.closed',
  },
  keys: {
    created: 'key.created',
    expires: 'key.expires',
    name: 'key.name',
    /** In groups by workspace, in the order of their creation. */
    workspace: 'key.workspace',
    /** In the order of their ends, without revoked ones: all, and in groups by workspace. */
    end: 'key.end',
    ends: 'key.ends',
  },
} as const;

/** An entry of a list: the parts of its key. Entries are sorted by them. */
type ListEntry = readonly [
  list: string,
  /** '' in a list without groups. */
  group: string,
  rank: string,
  id: string,
  /** Of a key: its workspace. */
  owner: string,
  /** Name and id in lower case, for searches. */
  text: string,
  /** Of a key: the rank of its end; before every instant if it is revoked. */
  end: string,
];

/** Digits of an instant, in hexadecimal, and of an amount to which AMOUNT_MAX was added. */
const INSTANT_DIGITS = 14;
const AMOUNT_DIGITS = 39;
/** More than every amount. */
const AMOUNT_MAX = 10n ** 38n;
/** The rank of what never ends, and of what has ended at once. */
const NEVER = 'f'.repeat(INSTANT_DIGITS);
const ENDED = ' '.repeat(INSTANT_DIGITS);
/** After every name. */
const UNNAMED = '\u{10ffff}';

/** A text that is sorted as instants are. */
export const instantRank = (instant: number): string => instant.toString(16).padStart(INSTANT_DIGITS, '0');

const amountRank = (amount: bigint) => (amount + AMOUNT_MAX).toString().padStart(AMOUNT_DIGITS, '0');

/** No name has a control character, so nothing that is searched spans both. */
const textOf = (name: string | null, id: string) => `${sortedName(name) ?? ''}\u0001${id.toLowerCase()}`;

const nameRank = (sorted: string | null) => sorted ?? UNNAMED;
const endRank = (end: number | null) => (end === null ? NEVER : instantRank(end));

/** The entries of a workspace. */
export function entriesOfWorkspace({ id, name, created, granted, closed }: Workspace): ListEntry[] {
  const text = textOf(name, id);
  const entry = (list: string, rank: string): ListEntry => [list, '', rank, id, '', text, ''];
  const { workspaces } = LISTS;
  return [
    entry(workspaces.id, id),
    entry(workspaces.created, instantRank(created)),
    entry(workspaces.granted, amountRank(granted)),
    entry(workspaces.name, nameRank(sortedName(name))),
    ...(closed === null ? [] : [entry(workspaces.closed, instantRank(closed))]),
  ];
}

/** The entries of a key. */
export function entriesOfKey({ id, workspace, name, created, expires, revoked }: Key): ListEntry[] {
  const end = endRank(expires);
  const last = [id, workspace, textOf(name, id), revoked === null ? end : ENDED] as const;
  const entry = (list: string, rank: string, group = ''): ListEntry => [list, group, rank, ...last];
  const { keys } = LISTS;
  return [
    entry(keys.created, instantRank(created)),
    entry(keys.expires, end),
    entry(keys.name, nameRank(sortedName(name))),
    entry(keys.workspace, instantRank(created), workspace),
    ...(revoked !== null ? [] : [entry(keys.end, end), entry(keys.ends, end, workspace)]),
  ];
}

/** The rank of the last value of a place, by the list. */
const RANKS: Readonly<Record<string, (value: never) => string>> = {
  [LISTS.workspaces.created]: instantRank,
  [LISTS.workspaces.granted]: (amount: string) => amountRank(BigInt(amount)),
  [LISTS.workspaces.name]: nameRank,
  [LISTS.keys.created]: instantRank,
  [LISTS.keys.expires]: endRank,
  [LISTS.keys.name]: nameRank,
  [LISTS.keys.workspace]: instantRank,
};

/** The first parts of the key of an entry at a place. `group`: of the list, unless the place names it. */
export function partsOfPlace(list: string, { values, id }: ListPlace, group = ''): string[] {
  const [first] = values.slice(0, -1);
  const rank = RANKS[list]?.(values.at(-1) as never) ?? id;
  return [list, first === undefined ? group : String(first), rank, id];
}

/** Replaces the entries of what was stored by those of what is stored now. Inside `Store.change` only. */
export function replaceEntries(
  store: Store,
  before: readonly ListEntry[],
  after: readonly ListEntry[],
): void {
  const table = store.table('lists');
  const [old, now] = [namesOf(before), namesOf(after)];
  for (const entry of before) if (!now.has(nameOf(entry))) table.remove(entry);
  for (const entry of after) if (!old.has(nameOf(entry))) table.put(entry, '');
}

/** The entry of a key of the table. */
export const entryOfBytes = (key: Buffer): ListEntry => key.toString().split('\0') as unknown as ListEntry;

/** Whether a key of the table ends at a rank or later, without reading the rest. `from`: the bytes of the rank. */
export const endsFrom = (key: Buffer, from: Buffer): boolean =>
  key.compare(from, 0, INSTANT_DIGITS, key.length - INSTANT_DIGITS - 1, key.length - 1) >= 0;

const nameOf = (entry: ListEntry) => entry.join('\0');
const namesOf = (entries: readonly ListEntry[]) => new Set(entries.map(nameOf));

/** Reports every workspace and key that a list lacks, and whether there are entries of others. */
export function verifyLists(
  store: Store,
  workspaces: readonly Workspace[],
  keys: readonly Key[],
  report: (problem: string) => void,
): void {
  const table = store.table('lists');
  let belonging = 0;
  for (const entry of [...workspaces.flatMap(entriesOfWorkspace), ...keys.flatMap(entriesOfKey)]) {
    belonging += 1;
    const [list, , , id] = entry;
    if (table.get(...entry) === undefined) report(`The list ${list} does not have ${id}.`);
  }
  const all = table.count([]);
  if (all > belonging) report(`The lists have ${all} entries, of which ${belonging} belong there.`);
}
