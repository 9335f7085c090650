import { type ErrorType, LINE_ERRORS, type LineErrorType } from '../../src/api/index.js';
import { by, type Shown } from './shown.js';

const submit = (type: ErrorType) => `7.1 ${type}: its status, its shape, its headers`;
const ONCE = '7 live idempotency_conflict: the same key and body make one batch, in a day';
const ofLine = (type: LineErrorType) => `7.1 line ${type}: each by its number, and none without`;

/** The rules of the contract that are about batches alone. */
export const BATCH_RULES: Readonly<Record<string, Shown>> = {
  '1 rule 4': by(
    '2.7 response: the bytes of the live answer; a refusal as the live one',
    '4.6 submit: 200, and of the batch what 2.6 says',
    '3 window: after 24 hours lines in progress return, the others read expired',
    '8 rule 2: a line at the batch price of its model, on its own tokens',
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
  '2.9 invalid batch': by(
    '2.9 invalid batch: up to 100 failures are listed, all are counted',
    '2.9 invalid batch: a type that says its field, a message that quotes no text of the caller',
  ),
  '2.9 too many lines': by('8 limit lines: 50,000 in a batch, and no more; blank ones are none'),
  '2.10 body': by('6 event: one POST of id and status when a batch is done, failed or cancelled'),
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
  '3 restart': by('3 restart: batches that are open go on; nothing is answered or billed twice'),
  '3 deletion': by(
    '3 deletion: 7 days after the results were first collected',
    '3 deletion: 14 days after the end at the latest; nothing can be read any more',
    '3 deletion: a client that leaves before the last byte has not collected',
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
  '4.6 rule 8': by(
    ONCE,
    '7 live idempotency_conflict: a file is the same however it is compressed',
    '7 live idempotency_conflict: ten at once make one batch',
    '7 live idempotency_conflict: a file that is refused takes no key',
  ),
  '4.6 rule 9': by('4.6 list: all batches of the key, oldest first'),
  '5 rule 4': by('5 rule 4: keys, credit and the rules of the workspace are those of live use'),
  '5 rule 5': by('5 rule 5: a batch is its key’s alone; others are told that there is none'),
  '5 rule 7': by(
    '3 key revoked: the batch has failed, and only that key could collect',
    '3 key expired: as one that is revoked',
  ),
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
  '7.1 idempotency_conflict': by(ONCE),
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
  '8 limit lines per batch': by('8 limit lines: 50,000 in a batch, and no more; blank ones are none'),
  '8 limit batch file': by('8 limit batch file: 32 MiB as sent and 32 MiB decompressed, and no more'),
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
  '8 limit list page': by('4.6 list: all batches of the key, oldest first'),
  '8 limit Idempotency-Key': by('7 live idempotency_conflict: a file that is refused takes no key'),
  '8 limit batch lines': by('8 limit batch lines: they do not count as requests'),
  '8 rule 2': by('8 rule 2: a line at the batch price of its model, on its own tokens'),
  '8 rule 6': by(
    '8 rule 2: a line at the batch price of its model, on its own tokens',
    '3 deletion: 14 days after the end at the latest; nothing can be read any more',
  ),
};
