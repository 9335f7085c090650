import { valuesOf } from '../headers.js';
import { readPage } from '../query.js';
import { JSON_TYPE } from '../reply.js';
import type { BatchCall, Handle, SubmitBatchCall } from './route.js';

/** `POST /v1/batches` */
export const submitBatch: Handle<SubmitBatchCall> = async ({ batches, body, encoding, headers }) => ({
  body: JSON.stringify(
    await batches.submit({
      body,
      encoding,
      webhook: valuesOf(headers, 'service-webhook-url'),
      idempotencyKey: valuesOf(headers, 'idempotency-key'),
    }),
  ),
});

/** `GET /v1/batches` */
export const listBatches: Handle<BatchCall> = async ({ batches, query }) => {
  const list = await batches.list(readPage(query));
  if (typeof list === 'string') return { body: list };
  return { body: { pieces: list, type: JSON_TYPE, sent: () => {} } };
};

/** `GET /v1/batches/<id>` */
export const showBatch: Handle<BatchCall> = ({ batches, id }) => ({ body: JSON.stringify(batches.show(id)) });

/** `GET /v1/batches/<id>/results` */
export const batchResults: Handle<BatchCall> = async ({ batches, id }) => {
  const { pieces, collected } = await batches.results(id);
  return { body: { pieces, type: 'application/jsonl', sent: collected } };
};

/** `POST /v1/batches/<id>/cancel` */
export const cancelBatch: Handle<BatchCall> = async ({ batches, id }) => ({
  body: JSON.stringify(await batches.cancel(id)),
});
