import { type Caller, dayOf, type KeyUsage, type Price, showAmount, showPrice } from '../access/index.js';
import { LIMITS } from '../api/index.js';
import { mayUse } from '../decide/index.js';
import type { Settings } from '../settings/index.js';
import type { Storage } from '../storage/index.js';
import type { ModelSet } from './models/model-set.js';
import type { OfferedModel } from './models/offered-models.js';

type Counts = Pick<KeyUsage['rows'][number], 'requests' | 'inputTokens' | 'amount'>;

/**
 * The credit, limits and prices of a caller (contract 2.11). `models`: those that the endpoint serves, and builds that the
 * workspace names; the response has the ones that the workspace may use.
 */
export async function limitsJson(
  { key, workspace }: Caller,
  models: readonly OfferedModel[],
  { catalog, prices }: Pick<ModelSet, 'catalog' | 'prices'>,
  { access }: Pick<Storage, 'access'>,
  { billing }: Pick<Settings, 'billing'>,
): Promise<object> {
  const { credit, monthCharged } = await access.balance(workspace);
  const { budget, requestsPerMinute, bytesPerMinute } = workspace;
  return {
    object: 'limits',
    key: { id: key.id, name: key.name, expires: key.expires === null ? 'never' : dayOf(key.expires) },
    currency: billing.currency,
    credit: numberOf(credit),
    month: { charged: numberOf(monthCharged), budget: budget === null ? null : numberOf(budget) },
    per_minute: { requests: requestsPerMinute, bytes: bytesPerMinute },
    server: SERVER,
    models: models.flatMap(({ id, isDefault, maxOptions, readsImages, contextTokens, domain }) => {
      const build = catalog.find(id);
      if (build === undefined || !mayUse(build, workspace.models)) return [];
      const price = prices.get(build.id) as Price;
      const shown = { live: Number(showPrice(price.live)), batch: Number(showPrice(price.batch)) };
      return [
        {
          id,
          default: isDefault,
          reads_images: readsImages,
          max_options: maxOptions,
          context_tokens: contextTokens,
          domain,
          prices: shown,
        },
      ];
    }),
  };
}

/** The usage of a key as JSON (contract 2.12). */
export function usageJson(key: string, currency: string, { from, to, rows }: KeyUsage): object {
  const total = rows.reduce(
    (sum, { requests, inputTokens, amount }) => ({
      requests: sum.requests + requests,
      inputTokens: sum.inputTokens + inputTokens,
      amount: sum.amount + amount,
    }),
    { requests: 0, inputTokens: 0, amount: 0n },
  );
  return {
    object: 'usage',
    key: { id: key },
    currency,
    from,
    to,
    data: rows.map((row) => ({ day: row.day, model: row.model, kind: row.kind, ...countsJson(row) })),
    total: countsJson(total),
  };
}

const countsJson = ({ requests, inputTokens, amount }: Counts) => ({
  requests,
  input_tokens: inputTokens,
  amount: numberOf(amount),
});

/** The limits of contract 8 that callers meet first. */
const SERVER = {
  body_bytes: LIMITS.bodyBytes,
  questions: LIMITS.questions,
  options: LIMITS.optionsPerQuestion,
  decision_questions: LIMITS.decisionQuestions,
  decision_choices: LIMITS.decisionChoices,
  decision_levels: LIMITS.decisionLevels,
  option_rotations: LIMITS.optionRotations,
  prompts: LIMITS.promptsPerRequest,
  state_characters: LIMITS.stateCodePoints,
  images: LIMITS.assets,
  image_bytes: LIMITS.imageBytes,
  batch_lines: LIMITS.batchLines,
  batches_open: LIMITS.batchesOpen,
};

const numberOf = (amount: bigint): number => Number(showAmount(amount));
