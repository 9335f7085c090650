import {
  AccessError,
  type Administration,
  type Balance,
  CHANGES,
  readAmount,
  readGrant,
  showAmount,
  type Workspace,
} from '../access/index.js';
import { showInstant, showTime } from '../base/index.js';
import type { Settings } from '../settings/index.js';
import { readModels, readWhole } from './arguments.js';
import { type Options, print, printJson } from './output.js';
import { facts, table } from './text-table.js';
import { withAdministration } from './with-store.js';

/** `decider workspaces create` */
export const create = (id: string, options: Options & { readonly name?: string }) =>
  change(id, options, (administration) => administration.change(CHANGES.createWorkspace(id, options.name)), {
    mayCreate: true,
  });

/** `decider workspaces show` */
export const show = (id: string, options: Options) =>
  change(id, options, (administration) => administration.getWorkspace(id));

/** `decider workspaces rename`: '' removes the name. */
export const rename = (id: string, name: string, options: Options) =>
  change(id, options, (administration) =>
    administration.change(CHANGES.changeWorkspace(id, { name: name === '' ? null : name })),
  );

/** `decider workspaces close` */
export const close = (id: string, options: Options) =>
  change(id, options, (administration) => administration.change(CHANGES.closeWorkspace(id)));

/** `decider workspaces reopen` */
export const reopen = (id: string, options: Options) =>
  change(id, options, (administration) => administration.change(CHANGES.reopenWorkspace(id)));

/** `decider workspaces credit`: adds credit; a negative amount removes some. */
export const credit = (id: string, amount: string, options: Options & { readonly reason?: string }) =>
  change(id, options, async (administration) => {
    const { reason } = options;
    const terms = reason === undefined ? {} : { reason };
    return administration.change(CHANGES.grantCredit(id, readGrant(amount), terms));
  });

/** `decider workspaces budget` */
export const budget = (id: string, amount: string, options: Options) =>
  change(id, options, async (administration) =>
    administration.change(
      CHANGES.changeWorkspace(id, { budget: amount === 'none' ? null : readAmount('budget', amount) }),
    ),
  );

/** `decider workspaces models` */
export const models = (id: string, parts: string[], options: Options & { readonly force?: boolean }) =>
  change(id, options, async (administration, settings) => {
    const names = readModels(parts);
    const manifest = names === null || options.force ? undefined : await knownModels(names, settings.models);
    return administration.change(CHANGES.changeWorkspace(id, { models: names }, manifest));
  });

/** Those of the names that the manifest in the folder has. */
async function knownModels(names: readonly string[], folder: string) {
  const { Catalog, readManifest } = await import('../engine/index.js');
  const catalog = new Catalog(await readManifest(folder), folder);
  const known = names.filter((name) => catalog.find(name) !== undefined);
  return { known, remedy: 'Use --force' } as const;
}

interface Limits {
  readonly requestsPerMinute?: string;
  readonly bytesPerMinute?: string;
}

/** `decider workspaces limits` */
export const limits = (id: string, options: Options & Limits) =>
  change(id, options, async (administration) => {
    const { requestsPerMinute, bytesPerMinute } = options;
    if (requestsPerMinute === undefined && bytesPerMinute === undefined) {
      throw new AccessError('limits', 'give --requests-per-minute, --bytes-per-minute or both.');
    }
    const settings = {
      ...(requestsPerMinute !== undefined && { requestsPerMinute: readWhole(requestsPerMinute) }),
      ...(bytesPerMinute !== undefined && { bytesPerMinute: readWhole(bytesPerMinute) }),
    };
    return administration.change(CHANGES.changeWorkspace(id, settings));
  });

/** `decider workspaces list` */
export const list = (options: Options) =>
  withAdministration(options, async (administration, settings) => {
    const rows: Row[] = [];
    for (const workspace of await administration.listWorkspaces()) {
      rows.push(rowOf(workspace, await administration.balance(workspace), settings));
    }
    if (options.json) return printJson(rows);
    const currency = settings.billing.currency;
    const head = [
      'workspace',
      'name',
      `balance ${currency}`,
      `this month ${currency}`,
      `budget ${currency}`,
      'models',
      'closed',
    ];
    const cells = rows.map((row) => [
      row.id,
      row.name ?? '',
      row.balance,
      row.charged_this_month,
      row.budget ?? 'none',
      row.models?.join(' ') ?? 'all',
      row.closed === null ? '' : 'closed',
    ]);
    print(table(head, cells, head.slice(2, 5)));
  });

/** Runs `work` on the workspace `id`, and prints the workspace it returns. */
function change(
  id: string,
  options: Options,
  work: (administration: Administration, settings: Settings) => Promise<Workspace>,
  folder: { readonly mayCreate?: boolean } = {},
): Promise<void> {
  const changeAndPrint = async (administration: Administration, settings: Settings) => {
    // Read first: an error after the change would say that it was not made.
    const charges = await chargesOf(administration, id);
    const row = rowOf(await work(administration, settings), charges, settings);
    if (options.json) return printJson(row);
    const money = (amount: string) => `${amount} ${row.currency}`;
    print(
      facts({
        workspace: row.id,
        ...(row.name !== null && { name: row.name }),
        created: showTime(row.created),
        ...(row.closed !== null && { closed: showTime(row.closed) }),
        granted: money(row.granted),
        charged: money(row.charged),
        balance: money(row.balance),
        'this month': money(row.charged_this_month),
        budget: row.budget === null ? 'none' : money(row.budget),
        models: row.models?.join(' ') ?? 'all',
        'requests per minute': String(row.requests_per_minute),
        'bytes per minute': String(row.bytes_per_minute),
      }),
    );
  };
  return withAdministration(options, changeAndPrint, folder);
}

type Charges = Pick<Balance, 'charged' | 'monthCharged'>;

/** What a workspace was charged; nothing if it does not exist. */
async function chargesOf(administration: Administration, id: string): Promise<Charges> {
  try {
    return await administration.balance(await administration.getWorkspace(id));
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    return { charged: 0n, monthCharged: 0n };
  }
}

type Row = ReturnType<typeof rowOf>;

/** A workspace as printed in JSON; amounts are decimal strings. */
function rowOf(workspace: Workspace, { charged, monthCharged }: Charges, settings: Settings) {
  return {
    id: workspace.id,
    name: workspace.name,
    created: showInstant(workspace.created),
    closed: showInstant(workspace.closed),
    currency: settings.billing.currency,
    granted: showAmount(workspace.granted),
    charged: showAmount(charged),
    balance: showAmount(workspace.granted - charged),
    charged_this_month: showAmount(monthCharged),
    budget: workspace.budget === null ? null : showAmount(workspace.budget),
    models: workspace.models,
    requests_per_minute: workspace.requestsPerMinute,
    bytes_per_minute: workspace.bytesPerMinute,
  };
}
