import {
  AccessError,
  type Administration,
  readAmount,
  readGrant,
  requireModels,
  showAmount,
  type Workspace,
} from '../access/index.js';
import { showInstant } from '../base/index.js';
import type { Settings } from '../settings/index.js';
import { readModels, readWhole } from './arguments.js';
import { type Options, print, printJson } from './output.js';
import { facts, table } from './table.js';
import { withAdministration } from './with-store.js';

/** `decider workspaces create` */
export const create = (id: string, options: Options) =>
  change(options, (administration) => administration.createWorkspace(id), { mayCreate: true });

/** `decider workspaces show` */
export const show = (id: string, options: Options) =>
  change(options, (administration) => administration.getWorkspace(id));

/** `decider workspaces credit`: adds credit; a negative amount removes some. */
export const credit = (id: string, amount: string, options: Options) =>
  change(options, async (administration) => administration.grantCredit(id, readGrant(amount)));

/** `decider workspaces budget` */
export const budget = (id: string, amount: string, options: Options) =>
  change(options, async (administration) =>
    administration.changeWorkspace(id, { budget: amount === 'none' ? null : readAmount('budget', amount) }),
  );

/** `decider workspaces models` */
export const models = (id: string, parts: string[], options: Options & { readonly force?: boolean }) =>
  change(options, async (administration, { models: folder }) => {
    const names = readModels(parts);
    const workspace = await administration.getWorkspace(id);
    if (names !== null && !options.force) {
      const { Catalog, readManifest } = await import('../engine/index.js');
      const catalog = new Catalog(await readManifest(folder), folder);
      requireModels(names, (name) => catalog.find(name) !== undefined, workspace, 'Use --force');
    }
    return administration.changeWorkspace(id, { models: names });
  });

interface Limits {
  readonly requestsPerMinute?: string;
  readonly bytesPerMinute?: string;
}

/** `decider workspaces limits` */
export const limits = (id: string, options: Options & Limits) =>
  change(options, async (administration) => {
    const { requestsPerMinute, bytesPerMinute } = options;
    if (requestsPerMinute === undefined && bytesPerMinute === undefined) {
      throw new AccessError('limits', 'give --requests-per-minute, --bytes-per-minute or both.');
    }
    return administration.changeWorkspace(id, {
      ...(requestsPerMinute !== undefined && { requestsPerMinute: readWhole(requestsPerMinute) }),
      ...(bytesPerMinute !== undefined && { bytesPerMinute: readWhole(bytesPerMinute) }),
    });
  });

/** `decider workspaces list` */
export const list = (options: Options) =>
  withAdministration(options, async (administration, settings) => {
    const rows: Row[] = [];
    for (const workspace of await administration.listWorkspaces()) {
      rows.push(await rowOf(administration, workspace, settings));
    }
    if (options.json) return printJson(rows);
    const currency = settings.billing.currency;
    const head = [
      'workspace',
      `balance ${currency}`,
      `this month ${currency}`,
      `budget ${currency}`,
      'models',
    ];
    const cells = rows.map((row) => [
      row.id,
      row.balance,
      row.charged_this_month,
      row.budget ?? 'none',
      row.models?.join(' ') ?? 'all',
    ]);
    print(table(head, cells, head.slice(1, 4)));
  });

/** Runs `work` and prints the workspace it returns. */
function change(
  options: Options,
  work: (administration: Administration, settings: Settings) => Promise<Workspace>,
  folder: { readonly mayCreate?: boolean } = {},
): Promise<void> {
  const changeAndPrint = async (administration: Administration, settings: Settings) => {
    const row = await rowOf(administration, await work(administration, settings), settings);
    if (options.json) return printJson(row);
    const money = (amount: string) => `${amount} ${row.currency}`;
    print(
      facts({
        workspace: row.id,
        created: row.created,
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

type Row = Awaited<ReturnType<typeof rowOf>>;

/** A workspace as printed in JSON; amounts are decimal strings. */
async function rowOf(administration: Administration, workspace: Workspace, settings: Settings) {
  const { charged, balance, monthCharged } = await administration.balance(workspace);
  return {
    id: workspace.id,
    created: showInstant(workspace.created),
    currency: settings.billing.currency,
    granted: showAmount(workspace.granted),
    charged: showAmount(charged),
    balance: showAmount(balance),
    charged_this_month: showAmount(monthCharged),
    budget: workspace.budget === null ? null : showAmount(workspace.budget),
    models: workspace.models,
    requests_per_minute: workspace.requestsPerMinute,
    bytes_per_minute: workspace.bytesPerMinute,
  };
}
