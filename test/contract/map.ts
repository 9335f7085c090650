import { type ErrorType, LINE_ERRORS, type LineErrorType } from '../../src/api/index.js';

/** How a rule is shown. */
export interface Shown {
  /** Names of contract tests. */
  readonly by?: readonly string[];
  /** Test files that show what no client can see, or not without waiting. */
  readonly elsewhere?: readonly string[];
  /** Why there is no test. */
  readonly none?: string;
}

const IMAGES = 'comes with a model that reads images';
const OPEN: Shown = { none: 'the contract leaves it open' };
const by = (...tests: readonly string[]): Shown => ({ by: tests });

const live = (type: ErrorType) => `7 live ${type}: its status, its shape, its headers`;
const submit = (type: ErrorType) => `7.1 ${type}: its status, its shape, its headers`;
const ofLine = (type: LineErrorType) => `7.1 line ${type}: each by its number, and none without`;
const LENGTHS = '7 live length_required, body_too_large: before a byte is read';
const IN_STATES = '4.3 rule 1: found in a text state, and in every text of a JSON state';
const NO_IMAGES = '4.3 models: one that reads no images refuses them, when all else is checked';
const FORMATS = '2.3 format: png, jpg or jpeg, and the bytes are so';
const SIDES = '7.2 image_dimensions: each side 280 to 1568 pixels';
const TOO_MANY = '7.2 too_many_images: a question that would show more than 8';
const BUDGETS = '2.1 image_budget: 70, 140, 280, or left out';
const LISTS = '2.8: both lists hold the same models, in the shapes told';
const PRICE = '8 prices: what input tokens cost of each model, to the last unit';
const USAGE = '2.4 usage: whole numbers; the state counts once, each question for itself';
const MODELS = '2.1 model: an id of the list, a dated build of it, or left out for the default';
const TOKENS = '5 rule 1: both decide paths want a bearer token';
const NO_TOKENS = '5 rule 2: the list of models and the health check want none';
const BODIES_SENT = '4.1 point 1: 32 MiB as sent, and no more';
const BODIES_READ = '4.1 point 1: 32 MiB decompressed, and no more';
const TRUNCATED = '4.3 rule 6: a reference beyond the first 20,000 characters of the state';
const NO_CREDIT = '5 rule 6: a key without credit is paused until there is some';

const OVERVIEW: Record<string, Shown> = {
  '1 point 1': by('1 point 1: every question is answered in the one call, with probabilities'),
  '1 point 2': by('2.2 type: noul, choice or score'),
  '1 point 3': by('1 point 3: one JSON object, no streaming, no generated text', '2.1 questions: 1 to 16'),
  '1 point 4': by(
    '2.7 response: the bytes of the live answer; a refusal as the live one',
    '4.6 submit: 200, and of the batch what 2.6 says',
    '3 window: after 24 hours lines in progress return, the others read expired',
    '8 billing 2: a line at the batch price of its model, on its own tokens',
  ),
  '1 point 5': by(FORMATS, IN_STATES),
  '1 point 6': by(MODELS, LISTS),
  '1 point 7': by(NO_CREDIT, PRICE, '8 billing 1: output tokens are free'),
  '1 point 8': by('8 data handling: nothing of a live request is stored'),
};

const RESOURCES: Record<string, Shown> = {
  '2.1 state': by(
    '2.1 state: a text, or any other JSON value',
    '2.1 state: required',
    '2.1 state: JSON is read indented, its keys in the order sent, its numbers as written',
  ),
  '2.1 questions': by(
    '2.1 questions: 1 to 16',
    '2.1 questions: the answers come back under the names of the caller, in their order',
    '2.1 questions: required, and an object',
  ),
  '2.1 assets': by('2.1 assets: may be left out', IN_STATES),
  '2.1 image_budget': by(BUDGETS),
  '2.1 model': by(MODELS, '2.1 model: an endpoint that serves one model ignores it'),
  '2.2 type': by('2.2 type: noul, choice or score'),
  '2.2 instructions': by('2.2 instructions: a text, or null, which is as good as none'),
  '2.2 criteria': by(
    '2.2 criteria: of a choice, labels with descriptions or a list of labels',
    '2.2 criteria: of a score, descriptions of the levels, lowest first',
    '2.2 criteria: of a noul, none, or both sides under either pair of names',
    '2.2 criteria: a description that is null shows the option by its name',
    '2.2 criteria: up to 26 options',
    '2.2 criteria: the descriptions reach the model',
  ),
  '2.2 criteria of nulls': by('2.2 criteria: objects of nulls are read by their names'),
  '2.3 references': by(
    '2.3 references: 1 to 1,024 bytes of UTF-8',
    '2.3 references: 64 KiB of all together, which eight of them do not reach',
  ),
  '2.3 type': by('2.3 type: image, or left out'),
  '2.3 format': by(FORMATS),
  '2.3 data_base64': by('2.3 data_base64: standard base64, without a prefix'),
  '2.3 part': by('2.3 part: a file part by its name', '2.3 part: exactly one of it and data_base64'),
  '2.4 model': by('2.4 model: the build that answered'),
  '2.4 answers': by('2.4 answers: one per question', '2.4 answers: the same whether asked together or alone'),
  '2.4 usage': by(USAGE),
  '2.4 noul': by('2.4 noul: a probability of yes, committed to at least 0.80'),
  '2.4 choice': by('2.4 choice: the likeliest label, its confidence, and a probability for every label'),
  '2.4 score': by(
    '2.4 score: the likeliest level, the mean, their confidence, a legend, and a probability for every level',
  ),
  '2.5 custom_id': by(
    '2.5 custom_id: 1 to 64 letters, digits, _ . : -, each once',
    ofLine('invalid_custom_id'),
    ofLine('duplicate_custom_id'),
  ),
  '2.5 model': by(
    '2.5 model: an id of the list or a dated build, of each line its own',
    ofLine('model_required'),
    ofLine('model_not_allowed'),
    ofLine('model_not_found'),
  ),
  '2.5 state and questions': by(
    '2.5 state, image_budget: as in a live request',
    ofLine('missing'),
    ofLine('too_many_questions'),
  ),
  '2.5 assets and image_budget': by(
    '2.5 state, image_budget: as in a live request',
    ofLine('invalid_assets'),
    ofLine('invalid_image_budget'),
  ),
  '2.5 mixed types': by('2.5 mixed types: one line asks up to 16 questions of every type'),
  '2.6 id': by('4.6 submit: 200, and of the batch what 2.6 says'),
  '2.6 object': by('2.6 object: the same fields, waiting, finished, cancelled and in the list'),
  '2.6 status': by(
    '3 queued, running, done: by its first line, and when all are resolved',
    '3 failed: where no line was answered',
    '3 cancelled: lines in progress return and are billed, no other starts',
  ),
  '2.6 lines': by('2.6 counts: what is answered, what has failed, what is left'),
  '2.6 counts': by('2.6 counts: what is answered, what has failed, what is left'),
  '2.6 models': by('2.6 models: those that the lines name, each once'),
  '2.6 times': by('2.6 times: ISO 8601 with offset, null until they happen'),
  '2.6 reason': by(
    '3 window: without an answer it has failed',
    '3 key revoked: the batch has failed, and only that key could collect',
    '3 failed: where no line was answered',
  ),
  '2.6 results_available': by(
    '3 cancelled: lines in progress return and are billed, no other starts',
    '3 cancelled: one that is queued',
  ),
  '2.6 webhook': by(
    '6 event: one POST of id and status when a batch is done, failed or cancelled',
    '6 rule 1: the address is optional',
  ),
  '2.6 estimated_cost': by('2.6 estimated_cost: bytes of text / 4 at the batch price, a guess'),
  '2.6 data_region': by(
    '2.6 object: the same fields, waiting, finished, cancelled and in the list',
    '4.6 submit: 200, and of the batch what 2.6 says',
  ),
  '2.6 delete_after': by(
    '2.6 times: ISO 8601 with offset, null until they happen',
    '3 deletion: 7 days after the results were first collected',
  ),
  '2.6 submit response': by('4.6 submit: 200, and of the batch what 2.6 says'),
  '2.6 list response': by(
    '2.6 object: the same fields, waiting, finished, cancelled and in the list',
    '4.6 list: all batches of the key, oldest first',
  ),
  '2.7 custom_id': by(
    '2.7 custom_id, model, status, usage: in this shape, response or error',
    '4.6 results: JSON Lines in the order of the lines, as often as they are asked for',
  ),
  '2.7 model': by(
    '2.7 response: the bytes of the live answer; a refusal as the live one',
    '2.5 model: an id of the list or a dated build, of each line its own',
  ),
  '2.7 status': by(
    '2.7 custom_id, model, status, usage: in this shape, response or error',
    '2.7 response: the bytes of the live answer; a refusal as the live one',
    '3 cancelled: lines in progress return and are billed, no other starts',
  ),
  '2.7 response': by('2.7 response: the bytes of the live answer; a refusal as the live one'),
  '2.7 error': by(
    '2.7 custom_id, model, status, usage: in this shape, response or error',
    '2.7 response: the bytes of the live answer; a refusal as the live one',
  ),
  '2.7 usage': by(
    '2.7 response: the bytes of the live answer; a refusal as the live one',
    '7.3 cost: only answered lines are billed, to the last unit',
  ),
  '2.8 data': by(LISTS),
  '2.8 models': by(LISTS),
  '2.8 same models': by(LISTS, '2.8: an endpoint lists what it serves'),
  '2.8 object': by(LISTS),
  '2.9 body': by(live('not_found'), live('unauthorized'), live('invalid_json'), live('missing')),
  '2.9 invalid batch': by(
    '2.9 invalid batch: up to 100 failures are listed, all are counted',
    '2.9 invalid batch: a type that says its field, a message that quotes no text of the caller',
  ),
  '2.9 too many lines': by('8 limit lines: 50,000 in a batch, and no more; blank ones are none'),
  '2.10 body': by('6 event: one POST of id and status when a batch is done, failed or cancelled'),
};

const STATES: Record<string, Shown> = {
  '3 status queued': by('3 queued, running, done: by its first line, and when all are resolved'),
  '3 status running': by('3 queued, running, done: by its first line, and when all are resolved'),
  '3 status done': by(
    '3 queued, running, done: by its first line, and when all are resolved',
    '2.6 counts: what is answered, what has failed, what is left',
  ),
  '3 status failed': by(
    '3 failed: where no line was answered',
    '3 key revoked: the batch has failed, and only that key could collect',
  ),
  '3 status cancelled': by('3 cancelled: lines in progress return and are billed, no other starts'),
  '3 transition submit valid': by(
    '4.6 submit: 200, and of the batch what 2.6 says',
    '3 restart: batches that are open go on; nothing is answered or billed twice',
  ),
  '3 transition submit invalid': by('4.6 rule 2: one line that is invalid, and nothing is queued'),
  '3 transition cancel open': by(
    '3 cancelled: lines in progress return and are billed, no other starts',
    '3 cancelled: one that is queued',
    '6 event: one POST of id and status when a batch is done, failed or cancelled',
  ),
  '3 transition cancel cancelled': by(
    '3 cancelled: lines in progress return and are billed, no other starts',
  ),
  '3 transition cancel finished': by(
    '3 queued, running, done: by its first line, and when all are resolved',
    '3 failed: where no line was answered',
  ),
  '3 transition resolved with answers': by(
    '3 queued, running, done: by its first line, and when all are resolved',
    '6 event: one POST of id and status when a batch is done, failed or cancelled',
  ),
  '3 transition resolved without answers': by(
    '3 failed: where no line was answered',
    '6 event: one POST of id and status when a batch is done, failed or cancelled',
  ),
  '3 transition window ends': by(
    '3 window: after 24 hours lines in progress return, the others read expired',
    '3 window: without an answer it has failed',
  ),
  '3 transition key revoked': by(
    '3 key revoked: the batch has failed, and only that key could collect',
    '3 key expired: as one that is revoked',
  ),
  '3 transition key paused': by(
    '3 key paused: no line starts without credit; more of it, and the rest runs',
    '3 window: without an answer it has failed',
  ),
  '3 line outcomes': by(
    '3 cancelled: lines in progress return and are billed, no other starts',
    '3 window: after 24 hours lines in progress return, the others read expired',
    '5 rule 9: lines of a model that was withdrawn fail, unbilled',
    '7.3 others: a model that is not there, after five tries',
    '2.7 response: the bytes of the live answer; a refusal as the live one',
  ),
  '3 tries': by('3 tries: five in all, with a growing wait'),
  '3 deletion': by(
    '3 deletion: 7 days after the results were first collected',
    '3 deletion: 14 days after the end at the latest; nothing can be read any more',
    '3 deletion: a client that leaves before the last byte has not collected',
  ),
};

const ENDPOINTS: Record<string, Shown> = {
  '4 token': by(TOKENS, NO_TOKENS),
  '4.1 point 1': by('4.1 point 1: Content-Length is required', BODIES_SENT, BODIES_READ),
  '4.1 point 2': by(
    '4.1 point 2: gzip and zstd are read, and answered as if sent plain',
    '4.1 point 2: any other encoding is 415',
  ),
  '4.1 point 3': by(
    '4.1 point 3: multipart, when the first part is the request',
    '4.1 point 3: multipart, compressed as a whole',
    '2.3 part: a file part by its name',
  ),
  '4.1 point 4': by('4.1 point 4: an answer only where every question has one'),
  '4.1 header X-Request-Id': by('4.1 X-Request-Id: on every response, errors included, one of its own'),
  '4.1 header Service-Key-Id and Service-Key-Expires': by(
    '4.1 Service-Key-Id, Service-Key-Expires: of the key that asked',
  ),
  '4.1 header Retry-After': {
    by: [live('rate_limited')],
    elsewhere: ['test/http/errors.test.ts', 'test/server/loading.test.ts'],
  },
  '4.2 point 1': by('4.2: answers as /v1/decide does'),
  '4.2 point 2': by('4.2: a model that is not served is answered by the default one'),
  '4.3 rule 1': by(IN_STATES, '4.3 rule 1: found in instructions', '4.3 rule 1: found in descriptions'),
  '4.3 rule 2': by('4.3 rule 2: not searched in the keys of a JSON state, nor in labels'),
  '4.3 rule 3': by(
    '4.3 rule 3: matched as it is written, anywhere in a text',
    '4.3 rule 3: matched before the text is escaped',
  ),
  '4.3 rule 4': by('4.3 rule 4: every use shows the image again'),
  '4.3 rule 5': by('4.3 rule 5: the longer reference wins'),
  '4.3 rule 6': by(TRUNCATED, '4.3 rule 6: a JSON state counts as it is read'),
  '4.3 rule 7': by(
    '4.3 rule 7: every asset is referenced',
    '4.3 rule 7: every file part is named by an asset',
  ),
  '4.3 rule 8': { none: IMAGES },
  '4.3 models': { none: IMAGES },
  '4.3 other models': by(NO_IMAGES),
  '4.3 opt-in header': by('4.3 header: none is needed, and one sent is accepted'),
  '4.4': by('4.4: the list of models needs no token', LISTS),
  '4.5': by('4.5: the health check says ok, and needs no token'),
  '4.6 where': by(
    '4.6 paths of a model: pin it, whatever is named, and have no batches',
    '4.6 where: not at the gateway',
    '4.6 where: not under the path of a model',
  ),
  '4.6 submit': by(
    '4.6 submit: 200, and of the batch what 2.6 says',
    '4.6 submit: gzip and zstd are read, and answered as if sent plain',
    '4.6 submit: any media type but a multipart one',
  ),
  '4.6 list': by('4.6 list: all batches of the key, oldest first'),
  '4.6 status': by('2.6 object: the same fields, waiting, finished, cancelled and in the list'),
  '4.6 results': by('4.6 results: JSON Lines in the order of the lines, as often as they are asked for'),
  '4.6 cancel': by('3 cancelled: lines in progress return and are billed, no other starts'),
  '4.6 rule 1': by('4.6 rule 1: one object a line; blank lines are skipped, but counted'),
  '4.6 rule 2': by('4.6 rule 2: one line that is invalid, and nothing is queued'),
  '4.6 rule 3': by('6 rule 5: https, 2,048 characters, no user, password or fragment, public'),
  '4.6 rule 4': by(
    '4.6 rule 4: no results before the end',
    '3 cancelled: lines in progress return and are billed, no other starts',
  ),
  '4.6 rule 5': by('5 rule 5: a batch is its key’s alone; others are told that there is none'),
  '4.6 rule 6': by('4.6 rule 6: a paused key cannot submit, but check, collect and cancel'),
  '4.6 rule 7': by('4.6 rule 7: a second submission of a file is a second batch'),
};

const KEYS: Record<string, Shown> = {
  '5 rule 1': by(TOKENS),
  '5 rule 2': by(NO_TOKENS),
  '5 rule 3': by(
    '5 rule 3: missing and wrong tokens are 401',
    '5 rule 3: expired tokens are 401',
    '5 rule 3: revoked tokens are 401, from the next request on',
  ),
  '5 rule 4': by('5 rule 4: keys, credit and the rules of the workspace are those of live use'),
  '5 rule 5': by('5 rule 5: a batch is its key’s alone; others are told that there is none'),
  '5 rule 6': by(
    NO_CREDIT,
    '5 rule 6: a key whose workspace has reached its budget is paused',
    '3 key paused: no line starts without credit; more of it, and the rest runs',
    '4.6 rule 6: a paused key cannot submit, but check, collect and cancel',
  ),
  '5 rule 7': by(
    '3 key revoked: the batch has failed, and only that key could collect',
    '3 key expired: as one that is revoked',
  ),
  '5 rule 8': by('5 rule 8: a rolled key works on, beside the new one, until the next day ends'),
  '5 rule 9': by(
    '5 rule 9: a workspace that lost a model is refused it',
    '5 rule 9: lines of a model that was withdrawn fail, unbilled',
  ),
  '5 rule 10': OPEN,
  '6 event': by('6 event: one POST of id and status when a batch is done, failed or cancelled'),
  '6 rule 1': by('6 rule 1: the address is optional'),
  '6 rule 2': by('6 rule 2: the call carries no results, no token and no signature'),
  '6 rule 3': {
    by: [
      '6 rule 3: what is no 2xx is tried again, three times in all, and no redirect followed',
      '6 rule 3: 2xx is delivered, whatever else it says',
      '6 rule 3: a connection refused counts as an attempt',
      '6 rule 3: attempts go on after a restart',
    ],
    elsewhere: ['test/batch/webhook/call.test.ts'],
  },
  '6 rule 4': by(
    '6 rule 3: what is no 2xx is tried again, three times in all, and no redirect followed',
    '6 rule 3: a connection refused counts as an attempt',
  ),
  '6 rule 5': {
    by: ['6 rule 5: https, 2,048 characters, no user, password or fragment, public'],
    elsewhere: ['test/batch/webhook/guard.test.ts'],
  },
  '6 rule 6': by('6 rule 6: the address is shown nowhere, and sealed where it is kept'),
};

const ERRORS: Record<string, Shown> = {
  '7 body and id': by(
    live('not_found'),
    live('method_not_allowed'),
    '4.1 X-Request-Id: on every response, errors included, one of its own',
  ),
  '7.1 invalid_jsonl': by(
    submit('invalid_jsonl'),
    '7.1 invalid_jsonl: no bytes that are not UTF-8, wherever they are',
  ),
  '7.1 empty_batch': by(submit('empty_batch'), '7.1 empty_batch: no lines, or blank ones only'),
  '7.1 bad_encoding': by(
    submit('bad_encoding'),
    '7.1 bad_encoding: what is cut off, damaged, or followed by more',
  ),
  '7.1 401': by(submit('unauthorized'), '7.1 401: all batch paths want a token that works'),
  '7.1 402': by(
    submit('out_of_credit'),
    submit('budget_exceeded'),
    '4.6 rule 6: a paused key cannot submit, but check, collect and cancel',
  ),
  '7.1 batch_not_found': by(
    '5 rule 5: a batch is its key’s alone; others are told that there is none',
    '7.1 batch_not_found: what is no id is no batch',
  ),
  '7.1 method_not_allowed': by('7.1 method_not_allowed: each path has its methods'),
  '7.1 batch_not_finished': by('4.6 rule 4: no results before the end'),
  '7.1 batch_finished': by(
    '3 queued, running, done: by its first line, and when all are resolved',
    '3 failed: where no line was answered',
  ),
  '7.1 411': by('7.1 411, 413: what the head says of the file, before a byte is read'),
  '7.1 too_many_lines': by('8 limit lines: 50,000 in a batch, and no more; blank ones are none'),
  '7.1 body_too_large': by(
    '7.1 411, 413: what the head says of the file, before a byte is read',
    '8 limit batch file: 32 MiB as sent and 32 MiB decompressed, and no more',
  ),
  '7.1 unsupported_media_type': by(
    submit('unsupported_media_type'),
    '4.6 submit: any media type but a multipart one',
  ),
  '7.1 unsupported_encoding': by(submit('unsupported_encoding')),
  '7.1 invalid_batch': by(
    '2.9 invalid batch: up to 100 failures are listed, all are counted',
    '4.6 rule 2: one line that is invalid, and nothing is queued',
    '7.1 order: a file wrong in several ways is told of the first',
  ),
  '7.1 invalid_webhook_url': by(
    submit('invalid_webhook_url'),
    '6 rule 5: https, 2,048 characters, no user, password or fragment, public',
  ),
  '7.1 too_many_batches': by('8 limit open batches: 10 of a key, also of those that come at once'),
  '7.1 rate_limited': by(submit('rate_limited'), '8 limit request bytes: those of batch files count'),
  '7.1 502': { none: 'a proxy before the server answers it' },
  '7.1 batch_unavailable': by(
    '7.1 batch_unavailable: where the operator has it switched off',
    '4.6 where: not at the gateway',
    '7.1 model_unavailable: while the models load',
  ),
  '7.1 line types': {
    by: ['7.1 line types: those of a live request that is as wrong', ...LINE_ERRORS.map(ofLine)],
  },
  '7.1 retry guidance': by(
    '3 queued, running, done: by its first line, and when all are resolved',
    '4.6 rule 4: no results before the end',
    submit('rate_limited'),
  ),
  '7.2 invalid_assets': by(
    '7.2 invalid_assets: what is no object of images',
    '2.3 references: 1 to 1,024 bytes of UTF-8',
    '2.3 type: image, or left out',
    '2.3 part: exactly one of it and data_base64',
  ),
  '7.2 unsupported_image_format': by('7.2 unsupported_image_format: also an animated PNG', FORMATS),
  '7.2 invalid_image': by(
    '7.2 invalid_image: what cannot be read whole',
    '2.3 data_base64: standard base64, without a prefix',
  ),
  '7.2 image_too_large': by('7.2 image_too_large: 16 MiB decoded, and no more'),
  '7.2 image_dimensions': by(SIDES),
  '7.2 too_many_images': by('7.2 too_many_images: more than 8 assets', TOO_MANY),
  '7.2 unreferenced_asset': by(
    '4.3 rule 7: every asset is referenced',
    '4.3 rule 7: every file part is named by an asset',
  ),
  '7.2 image_reference_truncated': by(TRUNCATED),
  '7.2 bad_multipart': by('7.2 bad_multipart: what cannot be taken apart'),
  '7.2 body_too_large': by(BODIES_SENT, BODIES_READ),
  '7.2 invalid_image_budget': by(BUDGETS),
  '7.2 images_not_supported': by(NO_IMAGES),
  '7.2 messages': by('7.2: the messages name the asset'),
  '7.3 refusal': by(
    '2.7 response: the bytes of the live answer; a refusal as the live one',
    '2.7 custom_id, model, status, usage: in this shape, response or error',
  ),
  '7.3 expired': by(
    '3 window: after 24 hours lines in progress return, the others read expired',
    '3 window: without an answer it has failed',
  ),
  '7.3 cancelled': by(
    '3 cancelled: lines in progress return and are billed, no other starts',
    '3 cancelled: one that is queued',
  ),
  '7.3 key_revoked': {
    ...by('3 key revoked: the batch has failed, and only that key could collect'),
    none: 'of the lines: nobody can collect them any more',
  },
  '7.3 model_not_allowed': by('5 rule 9: lines of a model that was withdrawn fail, unbilled'),
  '7.3 others': by(
    '7.3 others: a model that is not there, after five tries',
    '3 tries: five in all, with a growing wait',
  ),
  '7.3 cost': by(
    '7.3 cost: only answered lines are billed, to the last unit',
    '3 cancelled: lines in progress return and are billed, no other starts',
    '5 rule 9: lines of a model that was withdrawn fail, unbilled',
    '7.3 others: a model that is not there, after five tries',
  ),
};

const LIMITS: Record<string, Shown> = {
  '8 limit questions': by('2.1 questions: 1 to 16'),
  '8 limit options': by('2.2 criteria: up to 26 options'),
  '8 limit lines per batch': by('8 limit lines: 50,000 in a batch, and no more; blank ones are none'),
  '8 limit batch file': by('8 limit batch file: 32 MiB as sent and 32 MiB decompressed, and no more'),
  '8 limit decide body': by(BODIES_SENT, BODIES_READ),
  '8 limit open batches': by('8 limit open batches: 10 of a key, also of those that come at once'),
  '8 limit batch window': by(
    '3 window: after 24 hours lines in progress return, the others read expired',
    '4.6 submit: 200, and of the batch what 2.6 says',
  ),
  '8 limit line retry': by('3 tries: five in all, with a growing wait'),
  '8 limit webhook': by(
    '6 rule 3: what is no 2xx is tried again, three times in all, and no redirect followed',
    '6 rule 5: https, 2,048 characters, no user, password or fragment, public',
  ),
  '8 limit listed failures': by('2.9 invalid batch: up to 100 failures are listed, all are counted'),
  '8 limit custom id': by(
    '2.5 custom_id: 1 to 64 letters, digits, _ . : -, each once',
    ofLine('invalid_custom_id'),
  ),
  '8 limit request bytes': by(
    '8 request bytes: 256 MiB a minute for each key, and no more',
    '8 limit request bytes: those of batch files count',
  ),
  '8 limit batch lines': by('8 limit batch lines: they do not count as requests'),
  '8 limit model input': by(
    '8 model input: what does not fit the context window is refused',
    '8 model input: the first 20,000 characters of a text state are read',
    '8 model input: the first 20,000 characters of a JSON state as it is read',
  ),
  '8 limit image formats': by(FORMATS, '7.2 unsupported_image_format: also an animated PNG'),
  '8 limit image size': by('7.2 image_too_large: 16 MiB decoded, and no more'),
  '8 limit image sides': by(SIDES),
  '8 limit assets': by('7.2 too_many_images: more than 8 assets'),
  '8 limit images in a question': by(TOO_MANY, '4.3 rule 4: every use shows the image again'),
  '8 limit references': by(
    '2.3 references: 1 to 1,024 bytes of UTF-8',
    '2.3 references: 64 KiB of all together, which eight of them do not reach',
  ),
  '8 limit image_budget': by(BUDGETS),
  '8 limit requests and caps': by('8 requests: so many a minute for each key as its workspace says'),
  '8 price decider-g-12b': by(PRICE, '8 prices: credit for so many requests at once answers so many'),
  '8 price decider-g-31b': by(PRICE),
  '8 billing 1': by('8 billing 1: output tokens are free', PRICE),
  '8 billing 2': by('8 billing 2: a line at the batch price of its model, on its own tokens'),
  '8 billing 3': by('8 billing 3: what is refused costs nothing'),
  '8 billing 4': { none: IMAGES },
  '8 billing 5': { by: [USAGE], none: `of images: ${IMAGES}` },
  '8 billing 6': by(
    '8 billing 2: a line at the batch price of its model, on its own tokens',
    '3 deletion: 14 days after the end at the latest; nothing can be read any more',
  ),
  '8 data handling': by(
    '8 data handling: the log keeps method, path, status and duration',
    '8 data handling: nothing of a live request is stored',
  ),
  '9 point 1': by('9 point 1: every path but the health check begins with its version'),
  '9 point 2': by('9 point 2: a dated build is accepted, and told', MODELS),
  '9 point 3': by('9 point 3: a release date is an ISO 8601 day, or null'),
  '9 point 4': { elsewhere: ['test/clients/typesafe-sdk.test.ts', 'test/clients/ai-sdk.test.ts'] },
  '9 point 5': { none: 'it is about the client libraries of the hosted service' },
  '9 point 6': OPEN,
};

/** What answers a live call with an error that the contract does not name, by its type. */
const LIVE: Partial<Record<ErrorType, Shown>> = {
  not_found: by(live('not_found'), '9 point 1: every path but the health check begins with its version'),
  method_not_allowed: by(live('method_not_allowed')),
  unauthorized: by(
    live('unauthorized'),
    '7 live order: a request wrong in several ways is told of the first',
  ),
  length_required: by(LENGTHS),
  body_too_large: by(LENGTHS),
  unsupported_encoding: by(live('unsupported_encoding')),
  unsupported_media_type: by(live('unsupported_media_type')),
  out_of_credit: by(live('out_of_credit')),
  budget_exceeded: by(live('budget_exceeded')),
  rate_limited: by(live('rate_limited')),
  request_timeout: { elsewhere: ['test/http/errors.test.ts'] },
  bad_encoding: by(live('bad_encoding')),
  bad_multipart: by(live('bad_multipart')),
  invalid_json: by(live('invalid_json')),
  invalid_request: by(
    live('invalid_request'),
    '7 live: unknown fields are ignored, wrong types are not',
    '7 live: a type that says its field, a message that quotes no text of the caller',
  ),
  model_not_found: by(live('model_not_found')),
  model_not_allowed: by(live('model_not_allowed')),
  missing: by(live('missing')),
  invalid_questions: by(live('invalid_questions')),
  too_many_questions: by(live('too_many_questions')),
  invalid_type: by(live('invalid_type')),
  invalid_question: by(live('invalid_question')),
  too_many_options: by(live('too_many_options')),
  invalid_image_budget: by(live('invalid_image_budget')),
  invalid_assets: by(live('invalid_assets')),
  overloaded: { elsewhere: ['test/http/errors.test.ts', 'test/faults/overload.test.ts'] },
  model_unavailable: {
    by: ['7.1 model_unavailable: while the models load'],
    elsewhere: ['test/server/loading.test.ts'],
  },
  internal_error: { elsewhere: ['test/http/errors.test.ts'] },
  idempotency_conflict: by(
    '7 live idempotency_conflict: the same key and body make one batch, in a day',
    '7 live idempotency_conflict: ten at once make one batch',
    '7 live idempotency_conflict: a file that is refused takes no key',
  ),
};

/** Every rule of the contract, by its name in `numbering.ts`. */
export const RULES: Readonly<Record<string, Shown>> = {
  ...OVERVIEW,
  ...RESOURCES,
  ...STATES,
  ...ENDPOINTS,
  ...KEYS,
  ...ERRORS,
  ...LIMITS,
};

/** Every type of error that a live call can be answered with, but those with a row of their own in 7.2. */
export const LIVE_ERRORS: Readonly<Record<string, Shown>> = LIVE;
