import { deserialize } from 'node:v8';
import {
  AccessError,
  type AccountBalance,
  type ListedWorkspace,
  lastDays,
  readAmount,
  readGrant,
  showAmount,
  versionOf,
  type Workspace,
  type WorkspaceChange,
} from '../../../access/index.js';
import {
  type OperatorApiName,
  type OperatorListedWorkspace,
  type OperatorWorkspace,
  WORKSPACE_SORT,
  WORKSPACE_SORTS,
} from '../../../api/index.js';
import { nextTurn, showInstant } from '../../../base/index.js';
import type { Catalog } from '../../../engine/index.js';
import { DataUnavailable, type Storage } from '../../../storage/index.js';
import { PAGE_PARAMETERS, readPage } from '../list-query.js';
import {
  BOOLEAN,
  readFields,
  readQuery,
  readWhole,
  TEXT,
  TEXT_OR_NULL,
  TEXTS_OR_NULL,
  WHOLE,
  wrong,
} from '../operator-fields.js';
import { Refusal } from '../refusal.js';
import type { Handlers } from './operator-call.js';

/** Days of a report of usage. */
export const USAGE_DAYS_MAX = 366;
const USAGE_DAYS = 30;

type WorkspaceRoutes = Extract<
  OperatorApiName,
  | 'listWorkspaces'
  | 'showWorkspace'
  | 'createWorkspace'
  | 'changeWorkspace'
  | 'closeWorkspace'
  | 'reopenWorkspace'
  | 'grantCredit'
  | 'showUsage'
>;

/** What a workspace was charged, with what is not on the disk yet. */
type Charges = Pick<AccountBalance, 'charged' | 'reserved' | 'monthCharged'>;

const NO_CHARGES: Charges = { charged: 0n, reserved: 0n, monthCharged: 0n };

/** The routes of workspaces, their credit and their usage. */
export function workspaceHandlers(
  { access, administration, clock }: Storage,
  catalog: () => Catalog,
  currency: string,
): Handlers<WorkspaceRoutes> {
  const show = (workspace: Workspace, charges: Charges): OperatorWorkspace => {
    const { charged, reserved, monthCharged } = charges;
    const { id, name, granted, budget, models, requestsPerMinute, bytesPerMinute } = workspace;
    return {
      id,
      name,
      created: showInstant(workspace.created),
      closed: showInstant(workspace.closed),
      granted: showAmount(granted),
      charged: showAmount(charged),
      balance: showAmount(granted - charged),
      reserved: showAmount(reserved),
      charged_this_month: showAmount(monthCharged),
      budget: budget === null ? null : showAmount(budget),
      models,
      requests_per_minute: requestsPerMinute,
      bytes_per_minute: bytesPerMinute,
      version: versionOf(workspace),
    };
  };
  /** The charges of a workspace, read before it changes: reading them can fail, and after the change that would be too late. */
  const chargesOf = async (id: string): Promise<Charges> =>
    access.balance(await administration.read('getWorkspace', id));
  /** Adds what is there now to the refusal of a change that is about another version. */
  const orCurrent = (id: string, change: Promise<Workspace>): Promise<Workspace> =>
    change.catch(async (error: unknown) => {
      if (!(error instanceof AccessError && error.argument === 'version')) throw error;
      const current = show(await administration.read('getWorkspace', id), await chargesOf(id));
      throw new Refusal('conflict', `version: ${error.problem}`, 'version', {}, current);
    });
  return {
    async listWorkspaces({ query }) {
      const page = readPage(readQuery(query, ...PAGE_PARAMETERS), WORKSPACE_SORTS, WORKSPACE_SORT);
      const { parts, ...part } = await administration.read('listWorkspaces', page);
      const texts: string[] = [];
      for (const part of parts) {
        const summaries = deserialize(part) as ListedWorkspace[];
        const balances = await Promise.all(summaries.map(({ workspace }) => access.balance(workspace)));
        for (const [at, { workspace, workingKeys }] of summaries.entries()) {
          const shown: OperatorListedWorkspace = {
            ...show(workspace, balances[at] as AccountBalance),
            working_keys: workingKeys,
          };
          texts.push(JSON.stringify(shown));
        }
        await nextTurn();
      }
      const list = `[\n    ${texts.join(',\n    ')}\n  ]`;
      const fields = Object.entries({ currency, ...part }).map(
        ([name, value]) => `  "${name}": ${JSON.stringify(value)},\n`,
      );
      return Buffer.from(`{\n${fields.join('')}  "workspaces": ${list}\n}\n`);
    },
    async showWorkspace({ id, query }) {
      readQuery(query);
      const { workspace, workingKeys } = await administration.read('showWorkspace', id);
      const shown = show(workspace, await access.balance(workspace));
      return { currency, ...shown, working_keys: workingKeys };
    },
    async createWorkspace({ actor, body }) {
      const { id, name } = readFields(body, { id: TEXT }, { name: TEXT_OR_NULL });
      return show(await administration.change(actor, 'createWorkspace', id, name), NO_CHARGES);
    },
    async changeWorkspace({ actor, id, body }) {
      const { change, force, version } = readChange(body);
      const known = change.models?.filter((name) => catalog().find(name) !== undefined) ?? [];
      const manifest = force ? undefined : { known, remedy: 'Set force to true' as const };
      const charges = await chargesOf(id);
      const changed = administration.change(actor, 'changeWorkspace', id, change, manifest, version);
      return show(await orCurrent(id, changed), charges);
    },
    async closeWorkspace({ actor, id, body }) {
      readFields(body, {}, {});
      const charges = await chargesOf(id);
      return show(await administration.change(actor, 'closeWorkspace', id), charges);
    },
    async reopenWorkspace({ actor, id, body }) {
      readFields(body, {}, {});
      const charges = await chargesOf(id);
      return show(await administration.change(actor, 'reopenWorkspace', id), charges);
    },
    async grantCredit({ actor, id, body }) {
      const { amount: text, ...options } = readFields(
        body,
        { amount: TEXT },
        { version: TEXT, reason: TEXT },
      );
      const amount = readGrant(text);
      const charges = await chargesOf(id);
      const changed = administration.change(actor, 'grantCredit', id, amount, options);
      return show(await orCurrent(id, changed), charges);
    },
    async showUsage({ id, query }) {
      const days = readWhole('days', readQuery(query, 'days').days, 1, USAGE_DAYS_MAX, USAGE_DAYS);
      await access.flush().catch((error: Error) => {
        throw new DataUnavailable(error.message);
      });
      const dates = lastDays(clock.now(), days);
      const [from, to] = [dates[0] as string, dates.at(-1) as string];
      return await administration.read('showUsage', { workspace: id, from, to, currency });
    },
  };
}

interface ReadChange {
  readonly change: WorkspaceChange;
  readonly force: boolean;
  readonly version: string | undefined;
}

/** The body of `changeWorkspace`. Throws Refusal or AccessError. */
function readChange(body: unknown): ReadChange {
  const fields = readFields(
    body,
    {},
    {
      name: TEXT_OR_NULL,
      budget: TEXT_OR_NULL,
      models: TEXTS_OR_NULL,
      requests_per_minute: WHOLE,
      bytes_per_minute: WHOLE,
      force: BOOLEAN,
      version: TEXT,
    },
  );
  const { name, budget, models, requests_per_minute, bytes_per_minute, force = false, version } = fields;
  if (models?.length === 0) throw wrong('models', 'must name a model, or be null for all');
  return {
    change: {
      ...(name !== undefined && { name }),
      ...(budget !== undefined && { budget: budget === null ? null : readAmount('budget', budget) }),
      ...(models !== undefined && { models: models && [...new Set(models)] }),
      ...(requests_per_minute !== undefined && { requestsPerMinute: requests_per_minute }),
      ...(bytes_per_minute !== undefined && { bytesPerMinute: bytes_per_minute }),
    },
    force,
    version,
  };
}
