import type { Limits } from '../api/api-types.js';
import { bytes, whole } from '../ui/format-values.js';

/** What a request and a batch may hold, for every key. */
export function ServerLimits({ server }: Pick<Limits, 'server'>) {
  const facts: ReadonlyArray<readonly [string, string]> = [
    ['Questions of a request', whole(server.questions)],
    ['Options of a question', whole(server.options)],
    ['Characters of a state that are read', whole(server.state_characters)],
    ['Images of a request', whole(server.images)],
    ['Size of an image', bytes(server.image_bytes)],
    ['Size of a request', bytes(server.body_bytes)],
    ['Lines of a batch', whole(server.batch_lines)],
    ['Open batches of a key', whole(server.batches_open)],
  ];
  return (
    <section class="panel" aria-labelledby="server-limits-title">
      <div class="bar">
        <h2 id="server-limits-title">Limits of the server</h2>
      </div>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">
        The interface is described in <a href="openapi.json">openapi.json</a>.
      </p>
    </section>
  );
}
