import {
  AccessError,
  type Administration,
  showAmount,
  showPrice,
  sumPrices,
  type UsageFilter,
} from '../access/index.js';
import { didYouMean, OperatorError } from '../base/index.js';
import type { Settings } from '../settings/index.js';
import { type Options, print, printJson } from './output.js';
import { csv, table } from './text-table.js';
import { withAdministration } from './with-store.js';

/**
 * `decider usage`. The table sums over prices; JSON and CSV have a row per price, so that amount = input tokens × price
 * holds in each.
 */
export const usage = (options: Options & UsageFilter & UsageOptions) =>
  withAdministration(options, async (administration, settings) => {
    for (const name of ['month', 'html'] as const) {
      if (options[name] !== undefined) throw new OperatorError(`${name}: it needs --invoice WORKSPACE.`);
    }
    const rows = await administration.usage(options);
    if (rows.length === 0 && options.model !== undefined)
      await requireCharged(options.model, administration, settings);
    const currency = settings.billing.currency;
    if (options.json || options.csv) {
      const records = rows.map((row) => ({
        day: row.day,
        workspace: row.workspace,
        key: row.key,
        model: row.model,
        kind: row.kind,
        price_per_million: showPrice(row.price),
        requests: row.requests,
        input_tokens: row.inputTokens,
        amount: showAmount(row.amount),
        currency,
      }));
      if (options.json) return printJson(records);
      const cells = records.map((record) => Object.values(record).map(String));
      process.stdout.write(csv(CSV_HEAD, cells));
      return;
    }
    const sums = sumPrices(rows);
    const head = [
      'day',
      'workspace',
      'key',
      'model',
      'kind',
      'requests',
      'input tokens',
      `amount ${currency}`,
    ];
    const cells = sums.map((row) => [
      row.day,
      row.workspace,
      row.key,
      row.model,
      row.kind,
      String(row.requests),
      String(row.inputTokens),
      showAmount(row.amount),
    ]);
    print(table(head, cells, head.slice(5)));
    print(`total ${showAmount(sums.reduce((total, { amount }) => total + amount, 0n))} ${currency}`);
  });

/** Throws AccessError if no usage has a model, by its build, and the manifest does not either. */
async function requireCharged(
  model: string,
  administration: Administration,
  { models: folder }: Settings,
): Promise<void> {
  const charged = [...new Set((await administration.usage({})).map((row) => row.model))].sort();
  if (charged.includes(model)) return;
  const builds = charged.filter((build) => build.replace(/-\d{8}$/, '') === model);
  if (builds.length > 0)
    throw new AccessError('model', `usage names the builds of ${model}: ${builds.join(', ')}.`);
  if (await isInManifest(model, folder)) return;
  const known = charged.length === 0 ? '' : ` Charged were: ${charged.join(', ')}.`;
  throw new AccessError(
    'model',
    `${model} was never charged, and the manifest does not have it.${didYouMean(model, charged)}${known}`,
  );
}

async function isInManifest(model: string, folder: string): Promise<boolean> {
  const { Catalog, ModelError, readManifest } = await import('../engine/index.js');
  try {
    return new Catalog(await readManifest(folder), folder).find(model) !== undefined;
  } catch (error) {
    // Reports do not need the models.
    if (!(error instanceof ModelError)) throw error;
    return false;
  }
}

interface UsageOptions {
  readonly csv?: boolean;
  /** Options of invoices. */
  readonly month?: string;
  readonly html?: string;
}

const CSV_HEAD = [
  'day',
  'workspace',
  'key',
  'model',
  'kind',
  'price_per_million',
  'requests',
  'input_tokens',
  'amount',
  'currency',
];
