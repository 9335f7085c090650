import type { Limits } from '../api/api-types.js';
import { bytes, count, whole } from '../ui/format-values.js';

const DAY_MS = 86_400_000;
/** A key with fewer days is to be renewed. */
const FEW_DAYS = 14;

/** The days until a key ends, which it does at the end of its last day. */
const daysLeft = (expires: string): number => Math.ceil((Date.parse(expires) + DAY_MS - Date.now()) / DAY_MS);

/** The key: how long it works, and how much it may send. */
export function KeyFacts({ limits }: { readonly limits: Limits }) {
  const { key, per_minute: perMinute } = limits;
  const days = key.expires === 'never' ? null : daysLeft(key.expires);
  return (
    <section class="panel" aria-labelledby="key-facts-title">
      <div class="bar">
        <h2 id="key-facts-title">Key</h2>
      </div>
      <dl class="facts">
        <div>
          <dt>Id</dt>
          <dd>
            <code>{key.id}</code>
          </dd>
        </div>
        <div>
          <dt>Expires after</dt>
          <dd>
            {key.expires}
            {days !== null && ` (${count(days, 'day')} left)`}
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
