import { test } from 'tap';
import { AUDIT_ENTRIES_MAX } from '../../src/access/index.js';
import { LIMITS } from '../../src/api/index.js';
import { FOLLOWED_MS, JUMP_LASTS_MS, type Shares } from '../../src/base/index.js';
import { CALL_SHARES } from '../../src/batch/callbacks.js';
import { FILE_DECODE_MS_MAX } from '../../src/batch/ingest/file-turns.js';
import { IMAGES_AT_ONCE_MAX } from '../../src/batch/ingest/thread-turns.js';
import { PIECE_BYTES } from '../../src/batch/reading/results-piece.js';
import { RETRYING_MAX } from '../../src/batch/runner/open-batch.js';
import { READ_AHEAD_BYTES } from '../../src/batch/runner/read-ahead.js';
import { EMBEDDING_BYTES_MAX, LIVE_PIXEL_BYTES_MAX } from '../../src/engine/engine.js';
import { RENDER_MS_MAX, RENDER_TRIES_MAX } from '../../src/engine/profile/profile-types.js';
import { TOKEN_CACHE_BYTES_MAX } from '../../src/engine/profile/token-cache.js';
import { bodyShares, SLOW_BODY_BYTES_PER_SECOND } from '../../src/http/body-memory.js';
import { DOWNLOADS_MAX, SLOW_DOWNLOAD_BYTES_PER_SECOND } from '../../src/http/downloads.js';
import { BODY_DEADLINES, BODY_MEMORY_BYTES } from '../../src/http/start-http.js';
import { IDLE_CONNECTIONS_MAX } from '../../src/http/transport/idle-connections.js';
import { LINGER_BYTES_MAX, LINGER_IDLE_MS, LINGER_MS } from '../../src/http/transport/linger.js';
import { IDLE_MS } from '../../src/http/transport/node-send.js';
import { REQUEST_MS } from '../../src/http/transport/node-server.js';
import { PIPELINED_MAX } from '../../src/http/transport/node-turns.js';
import { REQUEST_MEMORY_BYTES } from '../../src/http/transport/request-memory.js';
import { SEND_BYTES_PER_SECOND_MIN, SEND_PATIENCE_MS } from '../../src/http/transport/send-pace.js';
import { STRAY_FILE_BYTES_MAX } from '../../src/images/jpeg-stray-bytes.js';
import { FILES_AT_ONCE_MAX, FILES_WAITING_MAX } from '../../src/server/batch-files.js';
import { FILE_TASKS_MAX } from '../../src/server/batch-tasks.js';
import { OPERATOR_CONNECTIONS_MAX, STRANGER_CONNECTIONS_MAX } from '../../src/server/operator/connections.js';
import {
  OPERATOR_REQUEST_MEMORY_BYTES,
  OPERATOR_REQUEST_MS_MAX,
} from '../../src/server/operator/listener.js';
import { OPERATOR_BODY_BYTES_MAX, OPERATOR_BODY_MS_MAX } from '../../src/server/operator/operator-body.js';
import { WAITING_MAX } from '../../src/server/prepare-queue.js';
import {
  SHADOW_REPORTS_AT_ONCE,
  SHADOW_REPORTS_WAITING_MAX,
} from '../../src/server/shadows/shadow-reports.js';
import {
  SHADOW_BYTES_MAX,
  SHADOWS_AT_ONCE,
  SHADOWS_WAITING_MAX,
} from '../../src/server/shadows/shadow-runs.js';
import { FITS_AT_ONCE, FITS_WAITING_MAX } from '../../src/server/task-fits.js';
import { LABEL_STATES_MAX, LABEL_STATES_WAITING_MAX } from '../../src/server/task-labels.js';
import { TASK_CHANGES_MAX, TASK_CHANGES_WAITING_MAX } from '../../src/server/task-service.js';
import { FREE_BYTES_MIN } from '../../src/storage/folder/lmdb/make-store.js';
import { LOG_LINES_KEPT, OUTPUT_BYTES_MAX } from '../../src/telemetry/index.js';
import { checkTable } from '../support/generated-table.js';

const number = (value: number) => value.toLocaleString('en');
const bytes = (value: number) =>
  value % 2 ** 20 === 0 ? `${number(value / 2 ** 20)} MiB` : `${number(value / 2 ** 10)} KiB`;
const seconds = (ms: number) => `${number(ms / 1_000)} s`;

const share = (name: string, { key, workspace, all }: Shares, show = number) =>
  `| ${name} | ${show(key)} | ${show(workspace)} | ${show(all)} |`;

const shares = [
  share('memory of request bodies', bodyShares(BODY_MEMORY_BYTES), bytes),
  share('requests waiting to be prepared, per pool (ordinary, large, images)', WAITING_MAX),
  share('batch files of up to 1 MiB read at the same time', FILES_AT_ONCE_MAX.small),
  share('larger batch files without images read at the same time', FILES_AT_ONCE_MAX.texts),
  share('larger batch files with images read at the same time', FILES_AT_ONCE_MAX.images),
  share('images of batch files decoded at the same time', IMAGES_AT_ONCE_MAX),
  share('batch files whose tasks are read at the same time', FILE_TASKS_MAX),
  share('batch files waiting to be read, of each of these sorts', FILES_WAITING_MAX),
  share('results and lists sent at the same time', DOWNLOADS_MAX),
  share('webhook calls at the same time', CALL_SHARES),
  share('changes of tasks at the same time', TASK_CHANGES_MAX),
  share('changes of tasks waiting', TASK_CHANGES_WAITING_MAX),
  share('states decided for labels at the same time', LABEL_STATES_MAX),
  share('states waiting for that', LABEL_STATES_WAITING_MAX),
  share('fits of tasks at the same time', FITS_AT_ONCE),
  share('fits waiting', FITS_WAITING_MAX),
  share('requests run on shadow builds at the same time', SHADOWS_AT_ONCE),
  share('requests waiting for their shadow build; further ones are not run on it', SHADOWS_WAITING_MAX),
  share('memory of their bodies', SHADOW_BYTES_MAX, bytes),
  share('reports about shadow builds that open labels at the same time', SHADOW_REPORTS_AT_ONCE),
  share('such reports waiting', SHADOW_REPORTS_WAITING_MAX),
];

const { stallBytes, stallMs, totalMs } = BODY_DEADLINES;
const bounds = [
  ['a body as sent, and decompressed', bytes(LIMITS.bodyBytes), '413'],
  ['values in a body', number(LIMITS.jsonValues), '400 `invalid_json`'],
  ['different object keys in a body', number(LIMITS.jsonKeys), '400 `invalid_json`'],
  ['pixels of the images of a batch file', number(LIMITS.batchPixels), '413'],
  ['questions of the tasks that a batch file names', bytes(LIMITS.batchTasksBytes), '413'],
  ['the same, counted for each line with images', bytes(LIMITS.batchSearchedBytes), '413'],
  ['decoding the images of a batch file', seconds(FILE_DECODE_MS_MAX), '503 `overloaded`'],
  ['pixels of an image on `/v1/decisions`', number(LIMITS.scaledImagePixels), '400 `image_dimensions`'],
  [
    'pixels of the images of a request to `/v1/decisions`',
    number(LIMITS.scaledRequestPixels),
    '400 `image_dimensions`',
  ],
  [
    'larger images in several passes (progressive, interlaced) decoded at a time',
    '1 of up to 340 MiB',
    'the others wait',
  ],
  ['scans of a JPEG', number(LIMITS.jpegScans), '400 `invalid_image`'],
  ['markers of a JPEG outside of its scans', number(LIMITS.jpegMarkers), '400 `invalid_image`'],
  ['a JPEG with stray bytes before markers', bytes(STRAY_FILE_BYTES_MAX), '400 `invalid_image`'],
  ['a new connection without a request', seconds(IDLE_MS), 'closed'],
  ['a connection without a request after a response', '`http.keep_alive_s`; `uws`: 8 to 12 s', 'closed'],
  [
    'connections without a request in progress, new ones and incomplete heads included (`node`)',
    `${number(IDLE_CONNECTIONS_MAX)}; none while file descriptors are short`,
    'the longest idle are closed',
  ],
  [
    'a download that is ended if another one needs its place',
    `slower than ${bytes(SLOW_DOWNLOAD_BYTES_PER_SECOND)} per second`,
    'its connection is closed',
  ],
  ['time for a request head to arrive', seconds(IDLE_MS), 'closed, after the answers owed'],
  [
    'time for a whole request to arrive, read or discarded',
    seconds(REQUEST_MS),
    'closed, after the answers owed',
  ],
  ['time for a body to arrive', seconds(totalMs), '408'],
  ['a body brings at least', `${bytes(stallBytes)} in ${seconds(stallMs)}`, '408'],
  ['a body is slow below', `${bytes(SLOW_BODY_BYTES_PER_SECOND)}/s`, '408, only when memory is short'],
  [
    'a reader takes at least',
    `${bytes(SEND_BYTES_PER_SECOND_MIN)}/s`,
    `closed when ${seconds(SEND_PATIENCE_MS)} behind`,
  ],
  ['bytes held per download', bytes(PIECE_BYTES), 'the rest is read when the client has room'],
  ['pipelined requests waiting on a connection', number(PIPELINED_MAX), 'closed after the answers owed'],
  [
    'memory of the heads of requests in progress and pipelined ones, of all connections',
    bytes(REQUEST_MEMORY_BYTES),
    'the connection with the most is closed',
  ],
  [
    'discarded after the last answer of a connection',
    `${bytes(LINGER_BYTES_MAX)}, ${seconds(LINGER_MS)}, ${seconds(LINGER_IDLE_MS)} idle`,
    'the connection is closed',
  ],
  ['pixels of live requests, per build of a model', bytes(LIVE_PIXEL_BYTES_MAX), '503 `overloaded`'],
  [
    'cached image embeddings, per build of a model',
    bytes(EMBEDDING_BYTES_MAX),
    'the least recently used are dropped',
  ],
  [
    'answers kept in exact mode, per build of a model',
    '`engine.answer_cache_mb`',
    'the least recently used are dropped',
  ],
  [
    'tokens of texts and words, per preparing thread',
    bytes(TOKEN_CACHE_BYTES_MAX),
    'the least recently used are dropped',
  ],
  ['lines of batches read ahead', bytes(READ_AHEAD_BYTES), 'the rest is read when there is room'],
  ['lines of a batch waiting for a retry', number(RETRYING_MAX), 'no new line of the batch starts'],
  ['batches per page of a list', number(LIMITS.batchesListed), '400 `invalid_request`'],
  ['one call of a webhook, look-up included', seconds(LIMITS.webhookTimeoutMs), 'counts as an attempt'],
  ['connections of the operator listener with the token', number(OPERATOR_CONNECTIONS_MAX), 'closed'],
  [
    'its other connections',
    number(STRANGER_CONNECTIONS_MAX),
    'the one without a request for longest is closed',
  ],
  [
    'time for a request to arrive on the operator listener',
    seconds(OPERATOR_REQUEST_MS_MAX),
    'closed, after the answers owed',
  ],
  [
    'pipelined requests waiting on a connection of the operator listener',
    number(PIPELINED_MAX),
    'closed after the answers owed',
  ],
  [
    'memory of the heads of its requests in progress and pipelined ones',
    bytes(OPERATOR_REQUEST_MEMORY_BYTES),
    'the connection with the most is closed',
  ],
  [
    'a body on the operator listener',
    `${bytes(OPERATOR_BODY_BYTES_MAX)}, ${seconds(OPERATOR_BODY_MS_MAX)}`,
    '413, 408',
  ],
  ['entries of the audit log', number(AUDIT_ENTRIES_MAX), 'the oldest is removed'],
  ['warnings and errors kept for the operator', number(LOG_LINES_KEPT), 'the oldest is dropped'],
  ['log lines waiting for a reader', bytes(OUTPUT_BYTES_MAX), 'dropped and counted'],
  [
    'parsing or rendering a template of a model file',
    `${RENDER_TRIES_MAX} times ${seconds(RENDER_MS_MAX)}`,
    'the model, or the question that needs it, is refused',
  ],
  ['stored batches', 'see `batch.max_stored_bytes`', '503 `batch_unavailable`'],
  ['stored batches of a workspace', 'see `batch.max_workspace_percent`', '503 `batch_unavailable`'],
  ['free disk space of a first start', bytes(FREE_BYTES_MIN), 'the start is refused'],
  ['a clock step followed at once', seconds(FOLLOWED_MS), `a larger one after ${seconds(JUMP_LASTS_MS)}`],
].map((cells) => `| ${cells.join(' | ')} |`);

test('docs/isolation.md has the bounds of the code', async (t) => {
  checkTable(t, 'docs/isolation.md', 'shares', shares);
  checkTable(t, 'docs/isolation.md', 'bounds', bounds);
});
