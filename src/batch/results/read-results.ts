import { type Batch, type Unanswered, unansweredAs } from '../lifecycle/index.js';
import type { SealedBatch } from '../sealed-batch.js';
import { unansweredLine } from './result-line.js';

const MESSAGES: Readonly<Record<Unanswered, string>> = {
  cancelled: 'The batch was cancelled before the line ran.',
  expired: 'The line was not answered within 24 hours.',
  key_revoked: 'The key that submitted the batch was revoked or has expired.',
};

/**
 * The results of a finished batch as JSON Lines, in the order of its lines: a piece for every chunk, made when it is
 * asked for. Throws StoreError where the batch is deleted meanwhile.
 */
export function* readResults(batch: Batch, sealed: SealedBatch): Generator<Buffer> {
  const type = unansweredAs(batch);
  const failure = { status: null, type, message: MESSAGES[type] };
  for (let chunk = 0; chunk < batch.chunks; chunk += 1) {
    const { first, ids } = sealed.ids(chunk);
    const lines = ids.map(
      ([customId, model], at) =>
        sealed.result(first + at) ?? Buffer.from(unansweredLine({ customId, model }, failure)),
    );
    yield Buffer.concat(lines.flatMap((line) => [line, LINE_FEED]));
  }
}

const LINE_FEED = Buffer.from('\n');
