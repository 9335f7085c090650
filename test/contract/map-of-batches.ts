import { type ErrorType, LINE_ERRORS, type LineErrorType } from '../../src/api/index.js';
import { by, type Coverage } from './coverage.js';

const LINE_DIAGNOSTICS =
  '2.5 raw_probabilities, label_mass, option_rotations: as the headers of a live request';
const submit = (type: ErrorType) => `7.1 ${type}: its status, its shape, its headers`;
const ONCE = '4.6 rule 8: the same key and file make one batch within a day';
const TASK_LINES = '2.5 task: the response of its decide, kept and labelled';
const TASK_OWNERS = '2.5 task: those of the workspace, for each of its keys and no other';
const TASK_VERSIONS = '2.5 version of a task: the one in use at the submission';
const TASK_DELETED = '2.5 version of a task: lines of a deleted task fail, unbilled';
const TASK_COSTS = '2.5 version of a task: costs and estimate of the line written out';
const ofLine = (type: LineErrorType) => `7.1 line ${type}: each by its number, and none without`;

/** The rules about batches. */
export const BATCH_RULES: Readonly<Record<string, Coverage>> = {
  '1 rule 4': by(
    '2.7 response: the bytes of the live response, refusals included',
    '4.6 submit: 200 with the submit response of 2.6',
    '3 window: after 24 hours lines in progress finish, the others read expired',
    '8 rule 2: a line is billed on its own tokens at the batch price of its model',
  ),
  '2.5 custom_id': by(
    '2.5 custom_id: 1 to 64 letters, digits, _ . : -, unique',
    ofLine('invalid_custom_id'),
    ofLine('duplicate_custom_id'),
  ),
  '2.5 model': by(
    '2.5 model: an id of the list or a build, named by each line',
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
  '2.5 raw_probabilities': by(LINE_DIAGNOSTICS, ofLine('invalid_line')),
  '2.5 label_mass': by(LINE_DIAGNOSTICS, ofLine('invalid_line')),
  '2.5 option_rotations': by(LINE_DIAGNOSTICS, ofLine('invalid_line')),
  '2.5 task': by(
    TASK_LINES,
    TASK_OWNERS,
    '2.5 task: questions and model beside it are refused, null is none',
    ofLine('task_not_found'),
    ofLine('invalid_line'),
  ),
  '2.5 version of a task': by(TASK_VERSIONS, TASK_DELETED, TASK_COSTS),
  '2.5 mixed types': by('2.5 mixed types: one line with 16 questions of every type'),
  '2.6 id': by('4.6 submit: 200 with the submit response of 2.6'),
  '2.6 object': by('2.6 object: the same fields in every state and in the list'),
  '2.6 status': by(
    '3 queued, running, done: from the first line to the last',
    '3 failed: no line was answered',
    '3 cancelled: lines in progress finish and are billed, no other starts',
  ),
  '2.6 lines': by('2.6 counts: done, failed and pending lines'),
  '2.6 counts': by('2.6 counts: done, failed and pending lines'),
  '2.6 models': by('2.6 models: the models that lines name, each once'),
  '2.6 times': by('2.6 times: ISO 8601 with offset, null until they happen'),
  '2.6 reason': by(
    '3 window: a batch without an answer fails',
    '3 key revoked: the batch fails, and its results cannot be collected',
    '3 failed: no line was answered',
  ),
  '2.6 results_available': by(
    '3 cancelled: lines in progress finish and are billed, no other starts',
    '3 cancelled: a queued batch',
  ),
  '2.6 webhook': by(
    '6 event: one POST of id and status when a batch is done, failed or cancelled',
    '6 rule 1: the address is optional',
  ),
  '2.6 webhook_delivery': by(
    '6 rule 1: the address is optional',
    '6 rule 3: three attempts unless the status is 2xx; redirects are not followed',
    '6 rule 3: a refused connection counts as an attempt',
  ),
  '2.6 estimated_cost': by('2.6 estimated_cost: a quarter of the bytes, at the batch price'),
  '2.6 data_region': by(
    '2.6 object: the same fields in every state and in the list',
    '4.6 submit: 200 with the submit response of 2.6',
  ),
  '2.6 delete_after': by(
    '2.6 times: ISO 8601 with offset, null until they happen',
    '3 deletion: 7 days after the results were first collected',
  ),
  '2.6 submit response': by('4.6 submit: 200 with the submit response of 2.6'),
  '2.6 list response': by(
    '2.6 object: the same fields in every state and in the list',
    '4.6 list: all batches of the key, oldest first',
  ),
  '2.7 custom_id': by(
    '2.7 custom_id, model, status, usage: the shape of a line with a response or an error',
    '4.6 results: JSON Lines in the order of the file, repeatedly',
  ),
  '2.7 model': by(
    '2.7 response: the bytes of the live response, refusals included',
    '2.5 model: an id of the list or a build, named by each line',
  ),
  '2.7 status': by(
    '2.7 custom_id, model, status, usage: the shape of a line with a response or an error',
    '2.7 response: the bytes of the live response, refusals included',
    '3 cancelled: lines in progress finish and are billed, no other starts',
  ),
  '2.7 response': by('2.7 response: the bytes of the live response, refusals included'),
  '2.7 error': by(
    '2.7 custom_id, model, status, usage: the shape of a line with a response or an error',
    '2.7 response: the bytes of the live response, refusals included',
  ),
  '2.7 usage': by(
    '2.7 response: the bytes of the live response, refusals included',
    '7.3 cost: only answered lines are billed, exactly',
  ),
  '2.9 invalid batch': by(
    '2.9 invalid batch: up to 100 failures are listed, all are counted',
    '2.9 invalid batch: a line’s strings are not repeated',
  ),
  '2.9 too many lines': by('8 limit lines: 50,000 in a batch, blank lines not counted'),
  '2.10 body': by('6 event: one POST of id and status when a batch is done, failed or cancelled'),
  '3 status queued': by('3 queued, running, done: from the first line to the last'),
  '3 status running': by('3 queued, running, done: from the first line to the last'),
  '3 status done': by(
    '3 queued, running, done: from the first line to the last',
    '2.6 counts: done, failed and pending lines',
  ),
  '3 status failed': by(
    '3 failed: no line was answered',
    '3 key revoked: the batch fails, and its results cannot be collected',
  ),
  '3 status cancelled': by('3 cancelled: lines in progress finish and are billed, no other starts'),
  '3 transition submit valid': by(
    '4.6 submit: 200 with the submit response of 2.6',
    '3 restart: open batches continue; nothing is answered or billed twice',
  ),
  '3 transition submit invalid': by('4.6 rule 2: one invalid line, and nothing is queued'),
  '3 transition cancel open': by(
    '3 cancelled: lines in progress finish and are billed, no other starts',
    '3 cancelled: a queued batch',
    '6 event: one POST of id and status when a batch is done, failed or cancelled',
  ),
  '3 transition cancel cancelled': by(
    '3 cancelled: lines in progress finish and are billed, no other starts',
  ),
  '3 transition cancel finished': by(
    '3 queued, running, done: from the first line to the last',
    '3 failed: no line was answered',
  ),
  '3 transition resolved with answers': by(
    '3 queued, running, done: from the first line to the last',
    '6 event: one POST of id and status when a batch is done, failed or cancelled',
  ),
  '3 transition resolved without answers': by(
    '3 failed: no line was answered',
    '6 event: one POST of id and status when a batch is done, failed or cancelled',
  ),
  '3 transition window ends': by(
    '3 window: after 24 hours lines in progress finish, the others read expired',
    '3 window: a batch without an answer fails',
  ),
  '3 transition key revoked': by(
    '3 key revoked: the batch fails, and its results cannot be collected',
    '3 key expired: the same as revoked',
    '3 workspace closed: the same as revoked, and a reopened one keeps what has ended',
  ),
  '3 transition key paused': by(
    '3 key paused: no line starts without credit; new credit runs the rest',
    '3 window: a batch without an answer fails',
  ),
  '3 line outcomes': by(
    '3 cancelled: lines in progress finish and are billed, no other starts',
    '3 window: after 24 hours lines in progress finish, the others read expired',
    '5 rule 9: lines of a withdrawn model fail, unbilled',
    '7.3 others: a model that stays unavailable for five tries',
    '2.7 response: the bytes of the live response, refusals included',
  ),
  '3 tries': by('3 tries: five in all, with growing waits'),
  '3 restart': {
    ...by('3 restart: open batches continue; nothing is answered or billed twice'),
    elsewhere: ['test/batch/runner/aborts.test.ts', 'test/faults/abort-batches.test.ts'],
  },
  '3 deletion': by(
    '3 deletion: 7 days after the results were first collected',
    '3 deletion: 14 days after the finish at the latest; nothing can be read afterwards',
    '3 deletion: an interrupted download does not count as collected',
    '3 deletion: the operator erases a batch; its id answers 404 from then on',
  ),
  '4.6 submit': by(
    '4.6 submit: 200 with the submit response of 2.6',
    '4.6 submit: gzip and zstd files are read like uncompressed ones',
    '4.6 submit: any media type but a multipart one',
  ),
  '4.6 list': by('4.6 list: all batches of the key, oldest first'),
  '4.6 status': by('2.6 object: the same fields in every state and in the list'),
  '4.6 results': by('4.6 results: JSON Lines in the order of the file, repeatedly'),
  '4.6 cancel': by('3 cancelled: lines in progress finish and are billed, no other starts'),
  '4.6 rule 1': by('4.6 rule 1: one object per line; blank lines are skipped but counted'),
  '4.6 rule 2': by('4.6 rule 2: one invalid line, and nothing is queued'),
  '4.6 rule 3': by('6 rule 5: public https addresses of 2,048 characters without user, password or fragment'),
  '4.6 rule 4': by(
    '4.6 rule 4: no results before the batch has finished',
    '3 cancelled: lines in progress finish and are billed, no other starts',
  ),
  '4.6 rule 5': by('5 rule 5: a batch belongs to its key; other keys get batch_not_found'),
  '4.6 rule 6': by('4.6 rule 6: a paused key cannot submit, but can check, collect and cancel'),
  '4.6 rule 7': by('4.6 rule 7: a second submission of a file is a second batch'),
  '4.6 rule 8': by(
    ONCE,
    '4.6 rule 8: files are compared decompressed',
    '4.6 rule 8: ten concurrent submissions make one batch',
    '4.6 rule 8: a refused submission does not take the value',
    '4.6 rule 8: a repetition finds its batch, whatever would refuse a new one',
  ),
  '4.6 rule 9': by('4.6 list: all batches of the key, oldest first'),
  '5 rule 4': by('5 rule 4: batches share keys, credit and workspace rules with live requests'),
  '5 rule 5': by('5 rule 5: a batch belongs to its key; other keys get batch_not_found'),
  '5 rule 7': by(
    '3 key revoked: the batch fails, and its results cannot be collected',
    '3 key expired: the same as revoked',
  ),
  '6 event': by('6 event: one POST of id and status when a batch is done, failed or cancelled'),
  '6 rule 1': by('6 rule 1: the address is optional'),
  '6 rule 2': by('6 rule 2: the call carries no results, no token and no signature'),
  '6 rule 3': {
    by: [
      '6 rule 3: three attempts unless the status is 2xx; redirects are not followed',
      '6 rule 3: any 2xx counts as delivered',
      '6 rule 3: a refused connection counts as an attempt',
      '6 rule 3: attempts continue after a restart',
    ],
    elsewhere: ['test/batch/webhook/call.test.ts'],
  },
  '6 rule 4': by(
    '6 rule 3: three attempts unless the status is 2xx; redirects are not followed',
    '6 rule 3: a refused connection counts as an attempt',
  ),
  '6 rule 5': {
    by: ['6 rule 5: public https addresses of 2,048 characters without user, password or fragment'],
    elsewhere: ['test/batch/webhook/guard.test.ts'],
  },
  '6 rule 6': by('6 rule 6: the address is stored encrypted and never returned'),
  '7.1 invalid_jsonl': by(
    submit('invalid_jsonl'),
    '7.1 invalid_jsonl: bytes that are not UTF-8, anywhere in the file',
  ),
  '7.1 empty_batch': by(submit('empty_batch'), '7.1 empty_batch: no lines, or only blank ones'),
  '7.1 bad_encoding': by(submit('bad_encoding'), '7.1 bad_encoding: truncated, damaged or trailing data'),
  '7.1 401': by(submit('unauthorized'), '7.1 401: every batch path requires a valid token'),
  '7.1 402': by(
    submit('out_of_credit'),
    submit('budget_exceeded'),
    '4.6 rule 6: a paused key cannot submit, but can check, collect and cancel',
  ),
  '7.1 batch_not_found': by(
    '5 rule 5: a batch belongs to its key; other keys get batch_not_found',
    '7.1 batch_not_found: malformed ids',
  ),
  '7.1 method_not_allowed': by('7.1 method_not_allowed: each path has its methods'),
  '7.1 batch_not_finished': by('4.6 rule 4: no results before the batch has finished'),
  '7.1 batch_finished': by(
    '3 queued, running, done: from the first line to the last',
    '3 failed: no line was answered',
  ),
  '7.1 411': by('7.1 411, 413: refused by the headers, before the body is read'),
  '7.1 too_many_lines': by('8 limit lines: 50,000 in a batch, blank lines not counted'),
  '7.1 body_too_large': by(
    '7.1 411, 413: refused by the headers, before the body is read',
    '8 limit batch file: 32 MiB as sent and 32 MiB decompressed, and no more',
  ),
  '7.1 unsupported_media_type': by(
    submit('unsupported_media_type'),
    '4.6 submit: any media type but a multipart one',
  ),
  '7.1 unsupported_encoding': by(submit('unsupported_encoding')),
  '7.1 invalid_batch': by(
    '2.9 invalid batch: up to 100 failures are listed, all are counted',
    '4.6 rule 2: one invalid line, and nothing is queued',
    '7.1 order: a file with several errors gets the first',
  ),
  '7.1 idempotency_conflict': by(ONCE),
  '7.1 invalid_webhook_url': by(
    submit('invalid_webhook_url'),
    '6 rule 5: public https addresses of 2,048 characters without user, password or fragment',
  ),
  '7.1 too_many_batches': by('8 limit open batches: 10 per key, also for concurrent submissions'),
  '7.1 rate_limited': by(submit('rate_limited'), '8 limit request bytes: those of batch files count'),
  '7.1 outcome_unknown': { elsewhere: ['test/storage/database/lost-commits.test.ts'] },
  '7.1 502': { none: 'a proxy before the server answers it' },
  '7.1 batch_unavailable': by(
    '7.1 batch_unavailable: batches are switched off',
    '4.6 where: not at the gateway',
    '7.4 model_unavailable: while the models load',
  ),
  '7.1 line types': {
    by: ['7.1 line types: the types of the same errors in live requests', ...LINE_ERRORS.map(ofLine)],
  },
  '7.1 retry guidance': by(
    '3 queued, running, done: from the first line to the last',
    '4.6 rule 4: no results before the batch has finished',
    submit('rate_limited'),
  ),
  '7.3 refusal': by(
    '2.7 response: the bytes of the live response, refusals included',
    '2.7 custom_id, model, status, usage: the shape of a line with a response or an error',
  ),
  '7.3 expired': by(
    '3 window: after 24 hours lines in progress finish, the others read expired',
    '3 window: a batch without an answer fails',
  ),
  '7.3 cancelled': by(
    '3 cancelled: lines in progress finish and are billed, no other starts',
    '3 cancelled: a queued batch',
  ),
  '7.3 key_revoked': {
    ...by('3 key revoked: the batch fails, and its results cannot be collected'),
    none: 'of the lines: they can no longer be collected',
  },
  '7.3 model_not_allowed': by('5 rule 9: lines of a withdrawn model fail, unbilled'),
  '7.3 task_not_found': by(TASK_DELETED),
  '7.3 others': by(
    '7.3 others: a model that stays unavailable for five tries',
    '3 tries: five in all, with growing waits',
  ),
  '7.3 cost': by(
    '7.3 cost: only answered lines are billed, exactly',
    '3 cancelled: lines in progress finish and are billed, no other starts',
    '5 rule 9: lines of a withdrawn model fail, unbilled',
    '7.3 others: a model that stays unavailable for five tries',
  ),
  '8 limit lines per batch': by('8 limit lines: 50,000 in a batch, blank lines not counted'),
  '8 limit batch file': by('8 limit batch file: 32 MiB as sent and 32 MiB decompressed, and no more'),
  '8 limit open batches': by('8 limit open batches: 10 per key, also for concurrent submissions'),
  '8 limit batch window': by(
    '3 window: after 24 hours lines in progress finish, the others read expired',
    '4.6 submit: 200 with the submit response of 2.6',
  ),
  '8 limit line retry': by('3 tries: five in all, with growing waits'),
  '8 limit webhook': by(
    '6 rule 3: three attempts unless the status is 2xx; redirects are not followed',
    '6 rule 5: public https addresses of 2,048 characters without user, password or fragment',
  ),
  '8 limit batch pixels': { elsewhere: ['test/batch/ingest/file-turns.test.ts'] },
  '8 limit batch tasks': { elsewhere: ['test/server/batch-tasks.test.ts'] },
  '8 limit batch searches': { elsewhere: ['test/batch/ingest/task-lines.test.ts'] },
  '8 limit listed failures': by('2.9 invalid batch: up to 100 failures are listed, all are counted'),
  '8 limit custom id': by(
    '2.5 custom_id: 1 to 64 letters, digits, _ . : -, unique',
    ofLine('invalid_custom_id'),
  ),
  '8 limit list page': by('4.6 list: all batches of the key, oldest first'),
  '8 limit Idempotency-Key': by('4.6 rule 8: a refused submission does not take the value'),
  '8 limit batch lines': by('8 limit batch lines: they do not count as requests'),
  '8 rule 2': by('8 rule 2: a line is billed on its own tokens at the batch price of its model'),
  '8 rule 6': by(
    '8 rule 2: a line is billed on its own tokens at the batch price of its model',
    '3 deletion: 14 days after the finish at the latest; nothing can be read afterwards',
  ),
};
