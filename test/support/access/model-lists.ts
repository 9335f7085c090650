import {
  type Administration,
  type Key,
  type KeyPage,
  keyWorks,
  type ListPlace,
  sortedName,
  type Workspace,
  type WorkspacePage,
} from '../../../src/access/index.js';

/** A list that is asked for, whichever part of it. */
export type AskedList =
  | (Pick<WorkspacePage, 'search' | 'descending'> & {
      readonly list: 'workspaces';
      readonly sort: NonNullable<WorkspacePage['sort']>;
    })
  | (Pick<KeyPage, 'search' | 'descending' | 'workspace' | 'working'> & {
      readonly list: 'keys';
      readonly sort: NonNullable<KeyPage['sort']>;
    });

/** An entry of a list, and what entries are compared by, the id last. */
export interface Ranked {
  readonly id: string;
  readonly ranks: ReadonlyArray<string | number | bigint | null>;
}

/** All workspaces and keys. */
export interface Everything {
  readonly workspaces: readonly Workspace[];
  readonly keys: readonly Key[];
}

export const everything = async (office: Administration): Promise<Everything> => ({
  workspaces: await office.listWorkspaces(),
  keys: await office.listKeys(),
});

const bytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Compares two entries. Null is the largest; texts are compared by their bytes. */
export function compareRanks(one: Ranked['ranks'], other: Ranked['ranks']): number {
  for (const [at, value] of one.entries()) {
    const against = other[at];
    if (value === against) continue;
    if (value === null || against === null) return value === null ? 1 : -1;
    if (typeof value === 'string') return bytes(value, against as string);
    return (value as number) < (against as number) ? -1 : 1;
  }
  return 0;
}

/** The place of an entry. */
export const placeOf = ({ ranks, id }: Ranked): ListPlace => ({
  values: ranks.slice(0, -1).map((rank) => (typeof rank === 'bigint' ? String(rank) : rank)),
  id,
});

/** How many keys of a workspace work. */
export function workingKeys({ workspaces, keys }: Everything, id: string, now: number): number {
  const workspace = workspaces.find((each) => each.id === id) as Workspace;
  return keys.filter((key) => key.workspace === id && keyWorks(key, workspace, now)).length;
}

/** All entries of a list, as a plain filter and sort has them. */
export function modelList(all: Everything, asked: AskedList, now: number): Ranked[] {
  const found = asked.list === 'keys' ? keysOf(all, asked, now) : workspacesOf(all, asked, now);
  const sign = asked.descending ? -1 : 1;
  return found.sort((one, other) => sign * compareRanks(one.ranks, other.ranks));
}

type AskedKeys = Extract<AskedList, { list: 'keys' }>;
type AskedWorkspaces = Extract<AskedList, { list: 'workspaces' }>;

const holds = (search: string | undefined, ...texts: ReadonlyArray<string | null>) =>
  search === undefined || texts.some((text) => text?.toLowerCase().includes(search));

function workspacesOf(all: Everything, { search, sort }: AskedWorkspaces, now: number): Ranked[] {
  const rank: Record<typeof sort, (each: Workspace) => Ranked['ranks']> = {
    id: () => [],
    name: ({ name }) => [sortedName(name)],
    created: ({ created }) => [created],
    granted: ({ granted }) => [granted],
    working_keys: ({ id }) => [workingKeys(all, id, now)],
  };
  return all.workspaces
    .filter(({ id, name }) => holds(search, id, name))
    .map((each) => ({ id: each.id, ranks: [...rank[sort](each), each.id] }));
}

function keysOf(
  { workspaces, keys }: Everything,
  { search, sort, workspace, working }: AskedKeys,
  now: number,
): Ranked[] {
  const owners = new Map(workspaces.map((each) => [each.id, each]));
  const works = (key: Key) => keyWorks(key, owners.get(key.workspace) as Workspace, now);
  const rank: Record<typeof sort, (key: Key) => Ranked['ranks']> = {
    workspace: (key) => [key.workspace, key.created],
    name: ({ name }) => [sortedName(name)],
    created: ({ created }) => [created],
    expires: ({ expires }) => [expires],
  };
  return keys
    .filter((key) => workspace === undefined || key.workspace === workspace)
    .filter((key) => !working || works(key))
    .filter((key) => holds(search, key.id, key.workspace, key.name))
    .map((key) => ({ id: key.id, ranks: [...rank[sort](key), key.id] }));
}
