import type { Batch } from '../api/api-types.js';
import { time, whole } from '../ui/format-values.js';
import { AsOf, type Source, Sourced } from '../ui/sourced.js';
import { StatusBadge } from './status-badge.js';

interface BatchListProps {
  readonly batches: readonly Batch[];
  readonly more: boolean;
  /** The id of the batch that is shown; null if none is. */
  readonly shown: string | null;
  readonly source: Source;
}

/** The batches of the key, newest first. */
export function BatchList({ batches, more, shown, source }: BatchListProps) {
  return (
    <section class="panel" aria-labelledby="list-title">
      <div class="bar">
        <h2 id="list-title">Batches of this key</h2>
        <AsOf source={source} />
      </div>
      {batches.length === 0 ? (
        <NoBatches />
      ) : (
        <Sourced source={source}>
          <Rows batches={batches} shown={shown} />
        </Sourced>
      )}
      {more && <p class="muted">Older batches are not shown; GET /v1/batches lists all of them.</p>}
    </section>
  );
}

const EXAMPLE = JSON.stringify({
  custom_id: 'case-1',
  model: 'decider-g-12b',
  state: 'My card was charged twice!',
  questions: { angry: { type: 'noul', instructions: 'Is the customer angry?' } },
});

const NoBatches = () => (
  <div class="empty">
    <p>No batches yet. A line of a batch file looks like this:</p>
    <pre class="code">{EXAMPLE}</pre>
    <p>Batches are answered within 24 hours, at the batch price.</p>
  </div>
);

function Rows({ batches, shown }: Pick<BatchListProps, 'batches' | 'shown'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also with the keyboard
    <section class="scroll" tabIndex={0} aria-label="Table of batches">
      <table>
        <thead>
          <tr>
            <th scope="col">Batch</th>
            <th scope="col">Status</th>
            <th scope="col" class="number">
              Answered
            </th>
            <th scope="col">Submitted</th>
          </tr>
        </thead>
        <tbody>
          {batches.map((each) => (
            <tr key={each.id}>
              <td>
                <a href={`#/batches/${each.id}`} aria-current={each.id === shown ? 'true' : undefined}>
                  <code>{each.id}</code>
                </a>
              </td>
              <td>
                <StatusBadge status={each.status} />
              </td>
              <td class="number">
                {whole(each.counts.done)} of {whole(each.lines)}
              </td>
              <td class="nowrap">{time(each.created_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
