import { useState } from 'preact/hooks';
import type { Limits } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { type ReadLimits, readLimits } from '../api/read-limits.js';
import { ErrorNote } from '../ui/error-note.js';
import { percent, whole } from '../ui/format-values.js';
import { Money } from '../ui/money.js';
import { Renew, type Source, Sourced } from '../ui/sourced.js';
import { useLoad } from '../ui/use-load.js';
import { DaysPanel } from './days-panel.js';
import { KeyFacts } from './key-facts.js';
import { ServerLimits } from './server-limits.js';

interface UsageViewProps {
  readonly api: Api;
  readonly limits: ReadLimits;
  readonly onLimits: (limits: ReadLimits) => void;
  readonly active: boolean;
}

/** What the key may spend and do, and what it was charged. Read anew whenever the view is opened. */
export function UsageView({ api, limits, onLimits, active }: UsageViewProps) {
  const [loads, setLoads] = useState(0);
  const { error, ...source } = useLoad(async (signal) => onLimits(await readLimits(api, signal)), active, [
    api,
    loads,
  ]);
  return (
    <div class="columns">
      <h1 class="hidden">Usage</h1>
      <div class="column">
        {error !== null && <ErrorNote error={error} />}
        <Credit limits={limits} source={source} reload={() => setLoads((before) => before + 1)} />
        <DaysPanel api={api} active={active} loads={loads} />
      </div>
      <div class="column">
        <KeyFacts limits={limits} now={limits.serverTime} />
        <Prices limits={limits} />
        <ServerLimits server={limits.server} />
      </div>
    </div>
  );
}

interface CreditProps {
  readonly limits: Limits;
  readonly source: Source;
  readonly reload: () => void;
}

function Credit({ limits, source, reload }: CreditProps) {
  const { credit, currency, month } = limits;
  const { charged, budget } = month;
  return (
    <section class="panel" aria-labelledby="credit-title">
      <div class="bar">
        <h2 id="credit-title">Credit</h2>
        <Renew source={source} reload={reload} />
      </div>
      <Sourced source={source}>
        <dl class="facts">
          <div>
            <dt>Left</dt>
            <dd class="large">
              <Money amount={credit} currency={currency} />
            </dd>
          </div>
          <div>
            <dt>Charged this month (UTC)</dt>
            <dd class="large">
              <Money amount={charged} currency={currency} />
            </dd>
          </div>
          <div>
            <dt>Budget of a month</dt>
            <dd class="large">{budget === null ? 'none' : <Money amount={budget} currency={currency} />}</dd>
          </div>
        </dl>
      </Sourced>
      {budget !== null && budget > 0 && <Budget part={charged / budget} />}
      {credit <= 0 && (
        <p class="warning">There is no credit left: requests are refused until the operator adds some.</p>
      )}
      <p class="muted">
        Credit, charges of the month and budget belong to the workspace, whose keys share them.
      </p>
    </section>
  );
}

function Budget({ part }: { readonly part: number }) {
  const shown = Math.min(1, part);
  return (
    <>
      <div
        class="stack"
        role="progressbar"
        aria-label="Part of the budget that is spent"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(shown * 100)}
      >
        <span class={part >= 1 ? 'failed' : 'done'} style={{ width: `${shown * 100}%` }} />
      </div>
      <p class={part >= 1 ? 'warning' : 'muted'}>{percent(part)} of the budget is spent.</p>
    </>
  );
}

function Prices({ limits: { models, currency } }: { readonly limits: Limits }) {
  return (
    <section class="panel" aria-labelledby="prices-title">
      <div class="bar">
        <h2 id="prices-title">Models and prices</h2>
      </div>
      {models.length === 0 ? (
        <p class="empty">The key may use no model of this server.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also with the keyboard
        <section class="scroll" tabIndex={0} aria-label="Table of prices">
          <table>
            <caption>
              Prices per million input tokens; output tokens are free. The context is what state and question
              may have together, in tokens.
            </caption>
            <thead>
              <tr>
                <th scope="col">Model</th>
                <th scope="col" class="number">
                  Context
                </th>
                <th scope="col">Images</th>
                <th scope="col" class="number">
                  Options
                </th>
                <th scope="col" class="number">
                  Live
                </th>
                <th scope="col" class="number">
                  Batch
                </th>
              </tr>
            </thead>
            <tbody>
              {models.map(
                ({
                  id,
                  default: isDefault,
                  domain,
                  context_tokens: context,
                  reads_images,
                  max_options,
                  prices,
                }) => (
                  <tr key={id}>
                    <td>
                      {id}
                      {isDefault && <span class="muted"> (default)</span>}
                      {domain !== null && <p class="muted">Trained for {domain} only.</p>}
                    </td>
                    <td class="number">{context === null ? 'not loaded' : whole(context)}</td>
                    <td>{reads_images ? 'yes' : 'no'}</td>
                    <td class="number">{max_options ?? 'not loaded'}</td>
                    <td class="number">
                      <Money amount={prices.live} currency={currency} />
                    </td>
                    <td class="number">
                      <Money amount={prices.batch} currency={currency} />
                    </td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}
