import type { Caller } from '../access/index.js';
import { ApiError } from '../api/index.js';
import {
  type Batch,
  type BatchInterface,
  type BatchParts,
  type BatchReports,
  callWebhook,
  checkIdempotencyKey,
  checkWebhookAddress,
  systemGuard,
  WEBHOOK_REASONS,
  webhookReason,
} from '../batch/index.js';
import { mayUse } from '../decide/index.js';
import { PREPARING, type WaveRecord } from '../engine/index.js';
import type { BatchApp } from '../http/index.js';
import type { Settings } from '../settings/index.js';
import type { Storage } from '../storage/index.js';
import type { Log, Metrics } from '../telemetry/index.js';
import { BatchFiles } from './batch-files.js';
import type { Engines } from './engines.js';
import { missingNotice } from './missing-models.js';
import type { ServerDependencies } from './server-dependencies.js';

/** The batch interface of a server whose models are loaded. */
export class BatchService {
  private constructor(
    private readonly batches: BatchInterface,
    private readonly files: BatchFiles,
  ) {}

  /** Resumes the open batches. Rejects with StoreError. */
  static async start(
    settings: Pick<Settings, 'models' | 'store' | 'billing' | 'webhook' | 'batch'>,
    { log, report, authorities }: ServerDependencies,
    engines: Engines,
    storage: Storage,
    record: WaveRecord,
    metrics: Metrics,
    parts: Pick<BatchParts, 'tasks' | 'storedBytesMax' | 'workspacePercent'>,
  ): Promise<BatchService> {
    const network = systemGuard(new Set(settings.webhook.allowed_hosts), storage.clock);
    const guard = authorities === undefined ? network : { ...network, authorities };
    const { webhookAttempts, webhookFailures, batchLines } = metrics.instruments;
    for (const outcome of ['delivered', 'failed']) webhookAttempts.inc({ outcome }, 0);
    for (const reason of WEBHOOK_REASONS) webhookFailures.inc({ reason }, 0);
    for (const outcome of ['answered', 'failed']) batchLines.inc({ outcome }, 0);
    const files = new BatchFiles(() => engines.current.manifest, settings.models);
    const batches = storage.openBatches({
      random: Math.random,
      engines: lineEngines(engines, record),
      files,
      webhooks: {
        check: (address) => checkWebhookAddress(address, guard),
        call: (address, event) => callWebhook(address, event, guard),
      },
      reports: reportsOf(log, metrics),
      ...parts,
      terms: { currency: settings.billing.currency, dataRegion: settings.batch.data_region },
    });
    await batches.start();
    const missing = missingNotice(batches.openByModel, engines.catalog, settings.store.url !== '');
    if (missing !== null) report.notice(missing);
    metrics.beforeScrape(() => metrics.instruments.batchesOpen.set(batches.openCount));
    return new BatchService(batches, files);
  }

  /** The models and builds that open batches name. */
  get openModels(): readonly string[] {
    return this.batches.openModels;
  }

  /** Call it when other models are loaded. */
  modelsChanged(): void {
    this.batches.modelsChanged();
  }

  /** How many open batches are in each state. */
  get openStates(): Readonly<Record<string, number>> {
    return this.batches.openStates;
  }

  /** The batch interface for one caller. */
  appOf(caller: Caller): BatchApp {
    const { batches } = this;
    return {
      submit: ({ body, encoding, webhook, idempotencyKey, signal }) =>
        batches.submit(caller, {
          file: body,
          encoding,
          webhook: readWebhook(webhook),
          idempotencyKey: checkIdempotencyKey(idempotencyKey),
          signal,
        }),
      list: (page) => batches.list(caller, page),
      show: (id) => batches.show(caller, id),
      results: (id) => batches.results(caller, id),
      cancel: (id) => batches.cancel(caller, id),
    };
  }

  /** Cancels the batch of any key. Rejects with ApiError. */
  cancelAny(id: string, actor: string): Promise<Batch> {
    return this.batches.cancelAny(id, actor);
  }

  /** Abandons the lines in progress at once; the next process runs them again. Resolves when nothing is running. */
  async stop(): Promise<void> {
    await this.batches.stop();
    await this.files.close();
  }
}

function lineEngines(engines: Engines, record: WaveRecord): BatchParts['engines'] {
  const idOf = (model: string) => engines.catalog.find(model)?.id ?? model;
  return {
    use: (work) => {
      const set = engines.current;
      return set.use(() =>
        work({
          prepare: (task) => set.prepareLine(task),
          engine: (build) => engines.get(build, set),
          chargeOf: (build, inputTokens) => ({
            model: set.catalog.find(build)?.model.id ?? build,
            kind: 'batch',
            inputTokens,
            price: engines.priceOf(build, set).batch,
          }),
        }),
      );
    },
    engine: (model) => engines.get(idOf(model)),
    knows: (model) => engines.catalog.find(model) !== undefined,
    notePreparing: (labels) => record.begin(PREPARING, labels),
    mayUse: (model, allowed) => mayUse(engines.catalog.find(model), allowed),
    priceOf: (model) => engines.priceOf(idOf(model)),
  };
}

function reportsOf(log: Log, metrics: Metrics): BatchReports {
  const { instruments } = metrics;
  return {
    error: (error, batch) => log.error({ err: error, batch }, 'a batch failed unexpectedly'),
    answered: ({ build, usage }) => {
      metrics.countUsage(build, usage);
      instruments.batchLines.inc({ outcome: 'answered' });
    },
    failed: () => instruments.batchLines.inc({ outcome: 'failed' }),
    called: (batch, outcome, again) => {
      if (outcome === 'delivered') return instruments.webhookAttempts.inc({ outcome });
      instruments.webhookAttempts.inc({ outcome: 'failed' });
      instruments.webhookFailures.inc({ reason: webhookReason(outcome) });
      // Not one of the caller's errors only: the network of this host, or its certificates, may be at fault.
      const what = again
        ? 'a webhook call failed and will be made again'
        : 'the last call of a webhook failed';
      log.warn({ batch, reason: outcome }, what);
    },
  };
}

function readWebhook([address, ...others]: readonly string[]): string | null {
  if (others.length === 0) return address ?? null;
  throw new ApiError('invalid_webhook_url', 'The header Service-Webhook-Url may be given only once.');
}
