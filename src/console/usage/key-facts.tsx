import type { Limits } from '../api/api-types.js';
import { bytes, count, whole } from '../ui/format-values.js';
import { daysLeft } from './days.js';

/** A key with fewer days is to be renewed. */
const FEW_DAYS = 14;

interface KeyFactsProps {
  readonly limits: Limits;
  /** The time of the server, in milliseconds since 1970: the clock of this machine may be wrong. */
  readonly now: number;
}

/** The key: how long it works, and how much it may send. */
export function KeyFacts({ limits, now }: KeyFactsProps) {
  const { key, per_minute: perMinute } = limits;
  const days = key.expires === 'never' ? null : Math.max(0, daysLeft(key.expires, now));
  return (
    <section class="panel" aria-labelledby="key-facts-title">
      <div class="bar">
        <h2 id="key-facts-title">Key</h2>
      </div>
      <dl class="facts">
        {key.name !== null && (
          <div>
            <dt>Name</dt>
            <dd>
              <bdi>{key.name}</bdi>
            </dd>
          </div>
        )}
        <div>
          <dt>Id</dt>
          <dd>
            <code>{key.id}</code>
          </dd>
        </div>
        <div>
          <dt>Ends on (UTC)</dt>
          <dd>
            {key.expires}
            {days !== null && (days === 0 ? ' (today)' : ` (${count(days, 'day')} left)`)}
          </dd>
        </div>
        <div>
          <dt>Requests per minute</dt>
          <dd>{whole(perMinute.requests)}</dd>
        </div>
        <div>
          <dt>Request bytes per minute</dt>
          <dd>{bytes(perMinute.bytes)}</dd>
        </div>
      </dl>
      {days !== null && days <= FEW_DAYS && (
        <p class="warning">The key ends soon. Its batches end with it: collect their results before.</p>
      )}
    </section>
  );
}
