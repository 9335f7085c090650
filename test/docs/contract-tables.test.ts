import { test } from 'tap';
import { DEFAULT_LIFETIME_DAYS } from '../../src/access/keys.js';
import { DEFAULT_LIMITS } from '../../src/access/workspaces.js';
import {
  DEFAULT_IMAGE_BUDGET,
  ERRORS,
  type ErrorType,
  IMAGE_BUDGETS,
  LIMITS,
  LINE_ERRORS,
} from '../../src/api/index.js';
import { webhookWaitMs } from '../../src/batch/callbacks.js';
import { KEPT_COLLECTED_MS, KEPT_FINISHED_MS } from '../../src/batch/lifecycle/apply.js';
import { WINDOW_MS } from '../../src/batch/runner/deadline.js';
import { retryWaitMs, TRIES_MAX } from '../../src/batch/runner/line-outcome.js';
import { BODY_DEADLINES } from '../../src/http/start-http.js';
import { MAX_HEADER_BYTES, MAX_HEADER_FIELDS } from '../../src/http/transport/transport-types.js';
import { MONITOR_DELAY_MS } from '../../src/server/task-monitors.js';
import { DEFAULT_PRICES } from '../../src/settings/index.js';
import { DEFAULT_CONFIDENCE, DEFAULT_TARGET_ERROR } from '../../src/tasks/read-task.js';
import { checkTable } from '../support/generated-table.js';
import { read } from '../support/pages.js';
import { anchorOf, CONTRACT, rulesOf } from './contract-page.js';

// `DOCS=write` writes the tables anew.

const code = (text: string) => `\`${text}\``;
const number = (value: number) => value.toLocaleString('en');
const bytes = (value: number) =>
  value % 2 ** 20 === 0 ? `${number(value / 2 ** 20)} MiB` : `${number(value / 2 ** 10)} KiB`;
const characters = (value: number) => `${number(value)} characters`;
const seconds = (ms: number) => `${number(ms / 1_000)} seconds`;
const row = (rule: string, ...cells: readonly string[]) =>
  `| <a id="${anchorOf(rule)}"></a>${cells.join(' | ')} |`;

/** Rules that are called by a status, and the types they are about. */
const BY_STATUS: Readonly<Record<string, readonly ErrorType[]>> = {
  401: ['unauthorized'],
  402: ['out_of_credit', 'budget_exceeded'],
  411: ['length_required'],
};

/** A row for every rule of a section that is about types of errors. */
function errorRows(section: string): string[] {
  return rulesOf(section).flatMap((rule) => {
    const types = BY_STATUS[rule] ?? (rule in ERRORS ? [rule as ErrorType] : []);
    const [first] = types;
    if (first === undefined) return [];
    const meanings = types.map((type) => ERRORS[type].meaning);
    return [
      row(`${section} ${rule}`, types.map(code).join(', '), String(ERRORS[first].status), meanings.join(' ')),
    ];
  });
}

const error = (type: ErrorType) => `${ERRORS[type].status} ${code(type)}`;
const { totalMs, stallBytes, stallMs } = BODY_DEADLINES;
const sent = `${bytes(LIMITS.bodyBytes)} as sent, ${bytes(LIMITS.decompressedBodyBytes)} decompressed`;

const limits: readonly (readonly [name: string, text: string, value: string, beyond: string])[] = [
  ['questions', 'questions of a request or a line', number(LIMITS.questions), error('too_many_questions')],
  [
    'question names',
    'name of a question',
    characters(LIMITS.questionNameCodePoints),
    error('invalid_questions'),
  ],
  ['options', 'options of a question', number(LIMITS.optionsPerQuestion), error('too_many_options')],
  [
    'option rotations',
    '`Service-Option-Rotations`, `option_rotations`',
    `1 to ${LIMITS.optionRotations}`,
    error('invalid_request'),
  ],
  [
    'prompts',
    'prompts of a request or a line whose choices are asked in several orders',
    number(LIMITS.promptsPerRequest),
    error('invalid_request'),
  ],
  [
    'structured strings',
    'an object or a list in place of a string ([4.2 rule 3](#4.2-rule-3))',
    `${characters(LIMITS.structuredTextCodePoints)} of indented JSON`,
    error('invalid_question'),
  ],
  [
    'model input',
    'what the model reads',
    `${characters(LIMITS.stateCodePoints)} of the state, and its context window in all`,
    `the rest of the state is not read; ${error('invalid_question')} for the window`,
  ],
  ['decide body', 'body of a decide request', sent, error('body_too_large')],
  [
    'JSON',
    'structure of a body or a line',
    `${number(LIMITS.jsonDepth)} levels, ${number(LIMITS.jsonContainers)} objects and lists, ${number(LIMITS.jsonValues)} values, ${number(LIMITS.jsonKeys)} different keys (a key that is repeated in objects of the same form counts once)`,
    error('invalid_json'),
  ],
  [
    'multipart',
    'parts of a multipart body',
    `${number(LIMITS.multipartParts)}, with ${bytes(LIMITS.multipartHeaderBytes)} of header each`,
    error('bad_multipart'),
  ],
  ['zstd window', 'window of a zstd frame', bytes(LIMITS.zstdWindowBytes), error('bad_encoding')],
  ['zstd frames', 'frames of a zstd body', number(LIMITS.zstdFrames), error('bad_encoding')],
  [
    'request head',
    'request line and header fields',
    `${bytes(MAX_HEADER_BYTES)}, ${MAX_HEADER_FIELDS} fields`,
    error('headers_too_large'),
  ],
  [
    'arrival of a body',
    'time for a body to arrive',
    `${seconds(totalMs)}, and ${bytes(stallBytes)} or the rest in every ${seconds(stallMs)}`,
    error('request_timeout'),
  ],
  ['assets', 'assets of a request', number(LIMITS.assets), error('too_many_images')],
  [
    'images in a question',
    'images displayed in one question, its state included; each use counts',
    number(LIMITS.imagesPerQuestion),
    error('too_many_images'),
  ],
  [
    'references',
    'references of assets',
    `1 to ${number(LIMITS.referenceBytes)} bytes each, ${bytes(LIMITS.referencesBytes)} together`,
    error('invalid_assets'),
  ],
  ['image formats', 'image formats', 'PNG, JPEG; still images only', error('unsupported_image_format')],
  ['image size', 'size of an image, decoded from base64', bytes(LIMITS.imageBytes), error('image_too_large')],
  [
    'image sides',
    'width and height of an image, each',
    `${number(LIMITS.imageSidePixelsMin)} to ${number(LIMITS.imageSidePixelsMax)} pixels`,
    error('image_dimensions'),
  ],
  [
    'image_budget',
    code('image_budget'),
    `${IMAGE_BUDGETS.join(', ')}; ${DEFAULT_IMAGE_BUDGET} by default`,
    error('invalid_image_budget'),
  ],
  [
    'lines per batch',
    'lines of a batch, blank ones not counted',
    number(LIMITS.batchLines),
    error('too_many_lines'),
  ],
  ['batch file', 'batch file', sent, error('body_too_large')],
  ['custom id', code('custom_id'), `1 to ${characters(LIMITS.customIdCharacters)}`, error('invalid_batch')],
  [
    'batch pixels',
    'pixels of the different images of a batch; a JPEG with more than 4 scans counts once for every 4',
    number(LIMITS.batchPixels),
    '413 `body_too_large`',
  ],
  [
    'batch tasks',
    'questions of the tasks that a batch names, together',
    bytes(LIMITS.batchTasksBytes),
    error('body_too_large'),
  ],
  [
    'batch searches',
    'questions of tasks, counted for each line of a batch that has images and names one',
    bytes(LIMITS.batchSearchedBytes),
    error('body_too_large'),
  ],
  ['listed failures', 'failures that `invalid_batch` lists', number(LIMITS.batchErrors), 'counted only'],
  ['open batches', 'open batches of a key', number(LIMITS.batchesOpen), error('too_many_batches')],
  [
    'batch window',
    'window of a batch',
    `${WINDOW_MS / 3_600_000} hours from submission`,
    'lines read `expired`',
  ],
  ['line retry', 'tries of a line', number(TRIES_MAX), 'the line fails with the last error'],
  [
    'webhook',
    'webhook',
    `${LIMITS.webhookAttempts} attempts of ${seconds(LIMITS.webhookTimeoutMs)}; an address of ${characters(LIMITS.webhookAddressCodePoints)}`,
    error('invalid_webhook_url'),
  ],
  ['list page', '`limit` of a list of batches', number(LIMITS.batchesListed), error('invalid_request')],
  ['task names', 'name of a task', `1 to ${characters(LIMITS.customIdCharacters)}`, error('invalid_task')],
  ['tasks', 'tasks of a workspace', number(LIMITS.tasks), error('too_many_tasks')],
  ['task versions', 'versions of a task', number(LIMITS.taskVersions), error('too_many_tasks')],
  [
    'task body',
    'body of a task',
    `${bytes(LIMITS.taskBytes)} as sent, ${bytes(LIMITS.taskBytes)} decompressed`,
    error('body_too_large'),
  ],
  [
    'tasks together',
    'questions of all versions of the tasks of a workspace',
    bytes(LIMITS.tasksBytes),
    error('too_many_tasks'),
  ],
  [
    'task answers',
    'answers of a task of which numbers are kept',
    number(LIMITS.taskAnswers),
    'the oldest goes',
  ],
  [
    'labels',
    'labelled answers of the version in use of a task',
    number(LIMITS.taskLabels),
    error('too_many_labels'),
  ],
  [
    'label body',
    'body of a call with labels',
    `${bytes(LIMITS.labelBytes)} as sent, ${bytes(LIMITS.labelBytes)} decompressed`,
    error('body_too_large'),
  ],
  [
    'label lines',
    'lines of a call with labels',
    `${number(LIMITS.labelLines)}, of which ${LIMITS.labelStates} may have a state`,
    error('too_many_lines'),
  ],
  [
    'task description',
    '`description` of a task',
    characters(LIMITS.taskDescriptionCodePoints),
    error('invalid_task'),
  ],
  [
    'target_error',
    '`target_error` of a task',
    `${LIMITS.taskTargetErrors.join(' to ')}; ${DEFAULT_TARGET_ERROR} by default`,
    error('invalid_task'),
  ],
  [
    'confidence',
    '`confidence` of a task',
    `${LIMITS.taskConfidences.join(' to ')}; ${DEFAULT_CONFIDENCE} by default`,
    error('invalid_task'),
  ],
  ['shadow share', '`share` of a shadow', 'above 0, at most 1', error('invalid_task')],
  [
    'promotion body',
    'body of `promote`',
    `${bytes(LIMITS.promotionBytes)} as sent, ${bytes(LIMITS.promotionBytes)} decompressed`,
    error('body_too_large'),
  ],
  [
    'usage days',
    '`days` of the usage of a key',
    `${LIMITS.usageDays}; ${LIMITS.usageDaysDefault} by default`,
    error('invalid_request'),
  ],
  [
    'Idempotency-Key',
    code('Idempotency-Key'),
    `1 to ${characters(LIMITS.idempotencyKeyCharacters)}`,
    error('invalid_request'),
  ],
  [
    'request bytes',
    'bytes of request bodies per minute and key, as sent, batch files included',
    `${bytes(DEFAULT_LIMITS.bytesPerMinute)} by default`,
    error('rate_limited'),
  ],
  [
    'requests and caps',
    'requests per minute and key',
    `${number(DEFAULT_LIMITS.requestsPerMinute)} by default; there is no daily cap`,
    error('rate_limited'),
  ],
  ['batch lines', 'lines of batches', 'do not count as requests', '–'],
];

const prices = DEFAULT_PRICES.split(',').map((entry) => {
  const [model = '', live, batch] = entry.split(/[=/]/);
  return row(`8 price ${model}`, code(model), `£${live}`, `£${batch}`);
});

const TABLES = {
  'batch-errors': [
    ...errorRows('7.1'),
    row(
      '7.1 502',
      '–',
      '502',
      `A proxy got no answer in time; the server may have the request ([4.6 rule 7](#4.6-rule-7)).`,
    ),
  ],
  'line-types': [LINE_ERRORS.map(code).join(', ')],
  'image-errors': errorRows('7.2'),
  'other-errors': errorRows('7.4'),
  limits: limits.map(([name, ...cells]) => row(`8 limit ${name}`, ...cells)),
  prices,
};

for (const [name, rows] of Object.entries(TABLES)) {
  test(`the contract's table of ${name} matches the code`, async (t) => checkTable(t, CONTRACT, name, rows));
}

const DAY_MS = 86_400_000;
/** A random number that leaves a jittered wait as it is. */
const MIDDLE = 0.5;
/** The figures in the sentences of the contract. */
const FIGURES = [
  characters(LIMITS.stateCodePoints),
  characters(LIMITS.questionNameCodePoints),
  characters(LIMITS.structuredTextCodePoints),
  characters(LIMITS.webhookAddressCodePoints),
  characters(LIMITS.idempotencyKeyCharacters),
  characters(LIMITS.customIdCharacters),
  characters(LIMITS.quotedNameCodePoints),
  `${number(LIMITS.referenceBytes)} bytes`,
  bytes(LIMITS.referencesBytes),
  bytes(LIMITS.bodyBytes),
  bytes(LIMITS.decompressedBodyBytes),
  `${LIMITS.questions} questions`,
  `${LIMITS.questions} valid questions`,
  `${LIMITS.optionsPerQuestion} labels`,
  `${LIMITS.optionsPerQuestion} levels`,
  `${LIMITS.batchErrors} entries`,
  `${LIMITS.webhookAttempts} attempts`,
  seconds(LIMITS.webhookTimeoutMs),
  seconds(MONITOR_DELAY_MS),
  `${WINDOW_MS / 3_600_000} hours`,
  `${DEFAULT_LIFETIME_DAYS} days`,
  `${KEPT_COLLECTED_MS / DAY_MS} days`,
  `${KEPT_FINISHED_MS / DAY_MS} days`,
  seconds(retryWaitMs(TRIES_MAX - 1, MIDDLE)),
  seconds(webhookWaitMs(1, () => MIDDLE) as number),
  `${(webhookWaitMs(2, () => MIDDLE) as number) / 60_000} minutes`,
];

test('every figure in the sentences of the contract is one of the code', async (t) => {
  const text = read(CONTRACT)
    .replace(/<!-- (limits|[a-z]+-errors): [\s\S]*?<!-- \/\1 -->/g, '')
    .replace(/^```[\s\S]*?^```$/gm, '');
  const units =
    'characters|bytes|[KMG]iB|valid questions|questions|labels|levels|entries|attempts|hours|days|minutes|seconds';
  const found = [...text.matchAll(new RegExp(`\\b\\d[\\d,]*(?: (?:${units}))`, 'g'))].map(
    ([figure]) => figure,
  );
  t.ok(found.length > 20, 'figures were found');
  for (const figure of new Set(found)) t.ok(FIGURES.includes(figure), figure);
});
