import { useEffect, useRef, useState } from 'preact/hooks';
import type { Batch, Limits } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { Confirm } from '../ui/confirm.js';
import { ErrorNote } from '../ui/error-note.js';
import { Facts } from '../ui/facts.js';
import { count, percent, time, whole } from '../ui/format-values.js';
import { Money } from '../ui/money.js';
import { AsOf, Sourced } from '../ui/sourced.js';
import { useQuestion } from '../ui/use-question.js';
import { batchCost } from './batch-cost.js';
import { ResultsPanel } from './results-panel.js';
import type { Results } from './shown-results.js';
import { StatusBadge } from './status-badge.js';
import { isOpen, useBatch } from './use-batch.js';

interface BatchPanelProps {
  readonly api: Api;
  readonly limits: Limits;
  readonly id: string;
  readonly active: boolean;
  /** Called with every new state of the batch. */
  readonly onSeen: (batch: Batch) => void;
  /** Called when the results are shown, at the current price. */
  readonly onResults: () => void;
}

/** One batch: progress, costs, cancel, results. */
export function BatchPanel({ api, limits, id, active, onSeen, onResults }: BatchPanelProps) {
  const [changes, setChanges] = useState(0);
  const { batch, error, retryMs, source } = useBatch(api, id, active, changes);
  const [refused, setRefused] = useState<unknown>(null);
  const [confirming, setConfirming] = useQuestion(active, false);
  const [results, setResults] = useState<Results | null>(null);
  const title = useRef<HTMLHeadingElement>(null);
  // The address has changed: a reader of the screen goes on here.
  useEffect(() => title.current?.focus(), []);
  useEffect(() => {
    if (batch !== null) onSeen(batch);
  }, [batch]);
  const cancel = async () => {
    setRefused(null);
    try {
      await api.json(`v1/batches/${encodeURIComponent(id)}/cancel`, { method: 'POST' });
    } catch (thrown) {
      setRefused(thrown);
    }
    setChanges((before) => before + 1);
    // The button goes.
    title.current?.focus();
  };
  return (
    <section class="panel" aria-labelledby="batch-title">
      <div class="bar">
        <h2 id="batch-title" tabIndex={-1} ref={title}>
          <code>{id}</code>
        </h2>
        {batch !== null && <StatusBadge status={batch.status} />}
        <AsOf source={source} />
        {batch !== null && isOpen(batch) && (
          <button type="button" onClick={() => setConfirming(true)}>
            Cancel the batch
          </button>
        )}
      </div>
      {batch === null && error === null && <p class="muted">Loading…</p>}
      {error !== null && <ErrorNote error={error} />}
      {retryMs !== null && (
        <p class="muted">The console looks again in {count(Math.round(retryMs / 1_000), 'second')}.</p>
      )}
      {refused !== null && <ErrorNote error={refused} />}
      {confirming && (
        <Confirm
          title="Cancel the batch?"
          action="Cancel it"
          onConfirm={() => {
            setConfirming(false);
            cancel();
          }}
          onCancel={() => setConfirming(false)}
        >
          <p>
            Lines without an answer get none. Lines in progress are still answered and charged. It cannot be
            continued; a file with the remaining lines is a new batch.
          </p>
        </Confirm>
      )}
      {batch !== null && (
        <>
          <Sourced source={source}>
            <Progress batch={batch} />
            <Costs batch={batch} limits={limits} results={results} />
            <Times batch={batch} />
          </Sourced>
          <ResultsPanel
            api={api}
            batch={batch}
            results={results}
            onResults={(read) => {
              setResults(read);
              onResults();
            }}
            onCollected={() => setChanges((before) => before + 1)}
          />
        </>
      )}
    </section>
  );
}

interface CostsProps {
  readonly batch: Batch;
  readonly limits: Limits;
  readonly results: Results | null;
}

/**
 * The cost: once the results are known, their tokens at the current price, which may have changed since a line was charged;
 * until then the estimate in proportion to the lines.
 */
function Costs({ batch, limits, results }: CostsProps) {
  const { estimated_cost: estimate, lines, counts } = batch;
  const spent = results === null ? null : batchCost(results.tokens, limits);
  const soFar = lines === 0 ? 0 : (estimate.amount * counts.done) / lines;
  return (
    <>
      <dl class="facts">
        <div>
          <dt>Estimate for all lines</dt>
          <dd>
            <Money amount={estimate.amount} currency={estimate.currency} />, {whole(estimate.input_tokens)}{' '}
            tokens
          </dd>
        </div>
        <div>
          <dt>{spent === null ? 'So far, by the estimate' : 'At the current price'}</dt>
          <dd>
            {spent === null ? (
              <>
                about <Money amount={soFar} currency={estimate.currency} />
              </>
            ) : (
              <>
                {spent.cost === null ? 'not known' : <Money amount={spent.cost} currency={limits.currency} />}
                , {whole(spent.tokens)} tokens
              </>
            )}
          </dd>
        </div>
      </dl>
      <p class="muted">
        The estimate counts one token for every four bytes of a line. The charge counts the tokens that the
        model reads, which depend on the model, the language and the prompt around each question: it can be
        lower than the estimate, or several times higher. <a href="#/usage">Usage</a> shows what was charged.
      </p>
    </>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  expired: 'The 24 hours ended before a line was answered.',
  key_revoked: 'The key was revoked or has expired.',
  no_line_answered: 'Every line was refused or abandoned.',
};

function Times({ batch }: { readonly batch: Batch }) {
  const { created_at, started_at, finished_at, expires_at, delete_after, models, reason } = batch;
  const facts: ReadonlyArray<readonly [string, string | null]> = [
    ['Models', models.join(', ')],
    ['Submitted', time(created_at)],
    ['Started', started_at && time(started_at)],
    ['Finished', finished_at && time(finished_at)],
    ['Ends at the latest', finished_at === null ? time(expires_at) : null],
    ['Deleted after', delete_after && time(delete_after)],
    ['Reason', reason && (REASONS[reason] ?? reason)],
  ];
  return <Facts facts={facts} />;
}

/** How many lines of a batch are answered, failed and pending. */
export function Progress({ batch }: { readonly batch: Batch }) {
  const { lines, counts } = batch;
  const done = lines === 0 ? 1 : (counts.done + counts.failed) / lines;
  const width = (part: number) => ({ width: `${lines === 0 ? 0 : (part / lines) * 100}%` });
  return (
    <div class="batch-progress">
      <div
        class="stack"
        role="progressbar"
        aria-label="Lines that are answered or have failed"
        aria-valuemin={0}
        aria-valuemax={lines}
        aria-valuenow={counts.done + counts.failed}
        aria-valuetext={`${percent(done)} of ${count(lines, 'line')}`}
      >
        <span class="done" style={width(counts.done)} />
        <span class={batch.status === 'cancelled' ? 'ended' : 'failed'} style={width(counts.failed)} />
      </div>
      <p role="status">
        {percent(done)}: {whole(counts.done)} answered, {whole(counts.failed)} failed, {whole(counts.pending)}{' '}
        pending
      </p>
    </div>
  );
}
