import type { ErrorType } from '../../src/api/index.js';
import { by, type Coverage } from './coverage.js';
import { BATCH_RULES } from './map-of-batches.js';
import { TASK_RULES } from './map-of-tasks.js';

const SEEN: Coverage = { elsewhere: ['test/server/seen-images.test.ts'] };

const live = (type: ErrorType) => `7.4 ${type}: its status, its shape, its headers`;
const LENGTHS = '7.4 length_required, body_too_large: refused before the body is read';
const IN_STATES = '4.3 rule 1: found in a string state, and in every string of a JSON state';
const NO_IMAGES = '4.3 other models: a model without image support refuses assets, after all other checks';
const FORMATS = '2.3 format: png, jpg or jpeg, matching the bytes';
const SIDES = '7.2 image_dimensions: each side 280 to 1568 pixels';
const TOO_MANY = '7.2 too_many_images: a question that displays more than 8';
const BUDGETS = '2.1 image_budget: 70, 140, 280 or absent';
const LISTS = '2.8: both lists hold the same models, in their documented shapes';
const PRICE = '8 price: input tokens of each model cost the exact amount';
const USAGE = '2.4 usage: integers; the state counts once, each question separately';
const MODELS = '2.1 model: an id of the list, a build of it, or absent for the default';
const TOKENS = '5 rule 1: both decide paths require a bearer token';
const NO_TOKENS = '5 rule 2: the model list and the health check need no token';
const BODIES_SENT = '4.1 rule 1: 32 MiB as sent, and no more';
const BODIES_READ = '4.1 rule 1: 32 MiB decompressed, and no more';
const TRUNCATED = '4.3 rule 6: a reference beyond the first 20,000 characters of the state';
const STANDING = '2.11: the limits of a key, in their documented shape';
const SPENT = '4.9: what was charged is counted at once, for a paused key too';
const ALLOWED = '2.11 models: those that the key may use at the endpoint';
const USED = '2.12: the usage of a key, in its documented shape';
const DAYS = '4.10 rule 1: 1 to 92 days, 30 by default';
const ROTATIONS_OF = '4.1 Service-Option-Rotations: averages over orders of the options, every order billed';
const ROTATIONS_REFUSED = '4.1 Service-Option-Rotations: 1 to 26, given once, for at most 400 prompts';
const NO_CREDIT = '5 rule 6: a key without credit is paused until credit is added';

const OVERVIEW: Record<string, Coverage> = {
  '1 rule 1': by('1 rule 1: one call answers every question, with probabilities'),
  '1 rule 2': by('2.2 type: noul, choice or score'),
  '1 rule 3': by('1 rule 3: one JSON object, no streaming, no generated text', '2.1 questions: 1 to 16'),
  '1 rule 5': by(FORMATS, IN_STATES),
  '1 rule 6': by(MODELS, LISTS),
  '1 rule 7': by(NO_CREDIT, PRICE, '8 rule 1: output tokens are free'),
  '1 rule 8': by('8 data handling: nothing of a live request is stored'),
};

const RESOURCES: Record<string, Coverage> = {
  '2.1 state': by(
    '2.1 state: a string, or any other JSON value',
    '2.1 state: required',
    '2.1 state: JSON is read indented, its keys in the order sent, its numbers as written',
  ),
  '2.1 questions': by(
    '2.1 questions: 1 to 16',
    '2.1 questions: answers come back under the caller’s names, in the same order',
    '2.1 questions: required, and an object',
  ),
  '2.1 assets': by('2.1 assets: optional', IN_STATES),
  '2.1 image_budget': by(BUDGETS),
  '2.1 model': by(MODELS, '2.1 model: an endpoint that serves one model ignores it'),
  '2.1 other fields': by('2.1 other fields: unknown ones are ignored, wrong types are errors'),
  '2.2 type': by('2.2 type: noul, choice or score'),
  '2.2 instructions': by('2.2 instructions: a string, or null, which is the same as absent'),
  '2.2 criteria': by(
    '2.2 criteria: a choice has labels with descriptions, or a list of labels',
    '2.2 criteria: a score has level descriptions, lowest first',
    '2.2 criteria: a noul has none, or both sides under either pair of names',
    '2.2 criteria: for a null description the model reads the option’s name',
    '2.2 criteria: up to 26 options',
    '2.2 criteria: the descriptions reach the model',
  ),
  '2.2 criteria of nulls': by('2.2 criteria: an object of nulls is read by its names'),
  '2.3 references': by(
    '2.3 references: 1 to 1,024 bytes of UTF-8',
    '2.3 references: at most 64 KiB together, which eight references cannot reach',
  ),
  '2.3 type': by('2.3 type: image or absent'),
  '2.3 format': by(FORMATS),
  '2.3 data_base64': by('2.3 data_base64: standard base64, without a prefix'),
  '2.3 part': by('2.3 part: the name of a file part', '2.3 part: exactly one of part and data_base64'),
  '2.4 model': by('2.4 model: the build that answered'),
  '2.4 answers': by('2.4 answers: one per question', '2.4 answers: the same whether asked together or alone'),
  '2.4 usage': by(USAGE),
  '2.4 noul': by('2.4 noul: a probability of yes, committed to at least 0.80'),
  '2.4 choice': by('2.4 choice: the most probable label, its confidence, and a probability for every label'),
  '2.4 score': by(
    '2.4 score: the most probable level, the mean, a confidence, a legend, and a probability for every level',
  ),
  '2.4 diagnostics': by('2.4 diagnostics: fields after the others, in their order'),
  '2.4 probabilities': {
    elsewhere: ['test/decide/answers/answers.test.ts', 'test/decide/answers/probabilities.test.ts'],
  },
  '2.8 data': by(LISTS),
  '2.8 models': by(LISTS),
  '2.8 same models': by(LISTS, '2.8: an endpoint lists what it serves'),
  '2.8 object': by(LISTS),
  '2.11 object': by(STANDING),
  '2.11 key': by(STANDING),
  '2.11 currency': by(STANDING),
  '2.11 credit': by(STANDING, SPENT),
  '2.11 month': by(STANDING, SPENT),
  '2.11 per_minute': by(STANDING),
  '2.11 models': by(STANDING, ALLOWED),
  '2.11 server': by(STANDING),
  '2.12 object': by(USED),
  '2.12 key': by(USED),
  '2.12 currency': by(USED),
  '2.12 range': { by: [DAYS], elsewhere: ['test/access/key-usage.test.ts'] },
  '2.12 data': { by: [USED], elsewhere: ['test/access/key-usage.test.ts', 'test/access/model.test.ts'] },
  '2.12 total': by(USED),
  '2.9 body': by(live('not_found'), live('unauthorized'), live('invalid_json'), live('missing')),
};

const ENDPOINTS: Record<string, Coverage> = {
  '4 token': by(TOKENS, NO_TOKENS),
  '4 http': { elsewhere: ['test/http/exchanges.test.ts'] },
  '4.1 rule 1': by(
    '4.1 rule 1: Content-Length is required',
    '4.1 rule 1: a body of any type but a multipart one is read as JSON',
    BODIES_SENT,
    BODIES_READ,
  ),
  '4.1 rule 2': by(
    '4.1 rule 2: gzip and zstd bodies are answered like uncompressed ones',
    '4.1 rule 2: any other encoding is 415',
  ),
  '4.1 rule 3': by(
    '4.1 rule 3: multipart is accepted if its first part is the request',
    '4.1 rule 3: a multipart body may be compressed as a whole',
    '2.3 part: the name of a file part',
  ),
  '4.1 rule 4': by('4.1 rule 4: one invalid question refuses the whole request'),
  '4.1 Service-Raw-Probabilities': by(
    '4.1 Service-Raw-Probabilities: true adds unrounded, uncommitted probabilities, and nothing else changes',
  ),
  '4.1 Service-Label-Mass': {
    by: ['4.1 Service-Label-Mass: true adds the probability of the labels, and nothing else changes'],
    elsewhere: ['test/engine/label-mass.test.ts', 'test/server/label-mass.test.ts'],
  },
  '4.1 Service-Option-Rotations': {
    by: [ROTATIONS_OF, ROTATIONS_REFUSED],
    elsewhere: ['test/server/option-rotations.test.ts', 'test/decide/option-rotations.test.ts'],
  },
  '4.1 X-Request-Id': by('4.1 X-Request-Id: a unique id on every response, errors included'),
  '4.1 Service-Key-Id and Service-Key-Expires': by(
    '4.1 Service-Key-Id, Service-Key-Expires: the calling key, errors included',
  ),
  '4.1 X-RateLimit': {
    by: ['4.1 X-RateLimit: the limits of the key, and what is left with the request counted'],
    elsewhere: ['test/http/answers.test.ts', 'test/access/rate-limit.test.ts'],
  },
  '4.1 Retry-After': {
    by: [live('rate_limited')],
    elsewhere: ['test/http/errors.test.ts', 'test/server/loading.test.ts'],
  },
  '4.1 Server-Timing': { elsewhere: ['test/http/answers.test.ts', 'test/server/answer-cache.test.ts'] },
  '4.2 rule 1': by('4.2: answers as /v1/decide does'),
  '4.2 rule 2': by('4.2: a model that is not served is answered by the default one'),
  '4.2 rule 3': {
    elsewhere: ['test/decide/request/system-one.test.ts', 'test/clients/typesafe-sdk.test.ts'],
  },
  '4.2 rule 4': by('4.2: a file part in a state is refused, and named'),
  '4.3 rule 1': by(IN_STATES, '4.3 rule 1: found in instructions', '4.3 rule 1: found in descriptions'),
  '4.3 rule 2': by('4.3 rule 2: not searched in the keys of a JSON state, nor in labels'),
  '4.3 rule 3': by(
    '4.3 rule 3: matched literally, anywhere in a string',
    '4.3 rule 3: matched before the string is escaped',
  ),
  '4.3 rule 4': by('4.3 rule 4: every use displays the image again'),
  '4.3 rule 5': by('4.3 rule 5: the longer reference wins'),
  '4.3 rule 6': by(TRUNCATED, '4.3 rule 6: a JSON state counts as indented JSON'),
  '4.3 rule 7': by(
    '4.3 rule 7: every asset is referenced',
    '4.3 rule 7: every file part is named by an asset',
  ),
  '4.3 rule 8': SEEN,
  '4.3 models': SEEN,
  '4.3 other models': by(NO_IMAGES),
  '4.3 opt-in header': by('4.3 opt-in header: not needed, and ignored if sent'),
  '4.4': by('4.4: the list of models needs no token', LISTS),
  '4.5': {
    ...by('4.5: the health check answers ok, and needs no token'),
    elsewhere: ['test/server/loading.test.ts', 'test/server/lanes.test.ts'],
  },
  '4.6 where': by('4.6 where: not at the gateway', '4.6 where: not under the path of a model'),
  '4.7': { elsewhere: ['test/openapi/openapi.test.ts'] },
  '4.8': by(
    '4.8: paths of a model pin it, whatever the request names',
    '4.8: the gateway has the paths of its own model only',
  ),
  '4.9': by(STANDING, SPENT, ALLOWED),
  '4.10 rule 1': by(DAYS),
  '4.10 rule 2': {
    by: ['4.10 rule 2: every charge so far, for a paused key too'],
    elsewhere: ['test/access/key-usage.test.ts'],
  },
  '4.10 rule 3': by('4.10 rule 3: the charges of the calling key only, at every endpoint'),
};

const KEYS: Record<string, Coverage> = {
  '5 rule 1': by(TOKENS),
  '5 rule 2': by(NO_TOKENS),
  '5 rule 3': by(
    '5 rule 3: missing and wrong tokens are 401',
    '5 rule 3: expired tokens are 401',
    '5 rule 3: revoked tokens are 401 from the next request',
    '5 rule 3: the keys of a closed workspace are 401 until it is reopened',
  ),
  '5 rule 6': by(
    NO_CREDIT,
    '5 rule 6: a key is paused when its workspace has reached the budget',
    '3 key paused: no line starts without credit; new credit runs the rest',
    '4.6 rule 6: a paused key cannot submit, but can check, collect and cancel',
  ),
  '5 rule 8': by('5 rule 8: a rolled key works beside the new one until the end of the next day'),
  '5 rule 9': by(
    '5 rule 9: a workspace that lost access to a model is refused',
    '5 rule 9: lines of a withdrawn model fail, unbilled',
  ),
  '5 rule 10': { elsewhere: ['test/access/expiry.test.ts', 'test/cli/keys.test.ts'] },
};

const ERRORS: Record<string, Coverage> = {
  '7 body and id': by(
    live('not_found'),
    live('method_not_allowed'),
    '4.1 X-Request-Id: a unique id on every response, errors included',
  ),
  '7 order': by(
    '7 order: a request with several errors gets the first',
    '7.1 order: a file with several errors gets the first',
  ),
  '7 messages': by(
    '7 messages: a request’s strings are not repeated',
    '2.9 invalid batch: a line’s strings are not repeated',
  ),
  '7.2 invalid_assets': by(
    '7.2 invalid_assets: anything but an object of images',
    '2.3 references: 1 to 1,024 bytes of UTF-8',
    '2.3 type: image or absent',
    '2.3 part: exactly one of part and data_base64',
  ),
  '7.2 unsupported_image_format': by('7.2 unsupported_image_format: also an animated PNG', FORMATS),
  '7.2 invalid_image': by(
    '7.2 invalid_image: damaged and truncated images',
    '2.3 data_base64: standard base64, without a prefix',
  ),
  '7.2 image_too_large': by('7.2 image_too_large: 16 MiB decoded, and no more'),
  '7.2 image_dimensions': by(SIDES),
  '7.2 too_many_images': by('7.2 too_many_images: more than 8 assets', TOO_MANY),
  '7.2 remote_image': { elsewhere: ['test/decide/decisions/input.test.ts'] },
  '7.2 unreferenced_asset': by(
    '4.3 rule 7: every asset is referenced',
    '4.3 rule 7: every file part is named by an asset',
  ),
  '7.2 image_reference_truncated': by(TRUNCATED),
  '7.2 bad_multipart': by('7.2 bad_multipart: malformed multipart bodies'),
  '7.2 body_too_large': by(BODIES_SENT, BODIES_READ),
  '7.2 invalid_image_budget': by(BUDGETS),
  '7.2 images_not_supported': by(NO_IMAGES),
  '7.2 messages': by('7.2: the messages name the asset'),
};

const LIMITS: Record<string, Coverage> = {
  '8 limit questions': by('2.1 questions: 1 to 16'),
  '8 limit options': by('2.2 criteria: up to 26 options'),
  '8 limit option rotations': by(ROTATIONS_REFUSED),
  '8 limit prompts': by(ROTATIONS_REFUSED),
  '8 limit decide body': by(BODIES_SENT, BODIES_READ),
  '8 limit request bytes': by(
    '8 limit request bytes: 256 MiB per minute and key',
    '8 limit request bytes: those of batch files count',
  ),
  '8 limit model input': by(
    '8 limit model input: a request over the context window is refused',
    '8 limit model input: the first 20,000 characters of a string state are read',
    '8 limit model input: the first 20,000 characters of an indented JSON state are read',
  ),
  '8 limit image formats': by(FORMATS, '7.2 unsupported_image_format: also an animated PNG'),
  '8 limit image size': by('7.2 image_too_large: 16 MiB decoded, and no more'),
  '8 limit image sides': by(SIDES),
  '8 limit assets': by('7.2 too_many_images: more than 8 assets'),
  '8 limit images in a question': by(TOO_MANY, '4.3 rule 4: every use displays the image again'),
  '8 limit references': by(
    '2.3 references: 1 to 1,024 bytes of UTF-8',
    '2.3 references: at most 64 KiB together, which eight references cannot reach',
  ),
  '8 limit image_budget': by(BUDGETS),
  '8 limit question names': { elsewhere: ['test/decide/request/body-rules.test.ts'] },
  '8 limit structured strings': { elsewhere: ['test/decide/request/system-one.test.ts'] },
  '8 limit JSON': { elsewhere: ['test/decide/request/reading.test.ts'] },
  '8 limit multipart': { elsewhere: ['test/decide/content/multipart.test.ts'] },
  '8 limit zstd window': { elsewhere: ['test/decide/content/zstd.test.ts'] },
  '8 limit zstd frames': { elsewhere: ['test/decide/content/zstd.test.ts'] },
  '8 limit request head': { elsewhere: ['test/http/exchanges.test.ts'] },
  '8 limit arrival of a body': { elsewhere: ['test/http/collect-body.test.ts'] },
  '8 limit usage days': by(DAYS),
  '8 limit requests and caps': by('8 limit requests: per minute and key, as the workspace is configured'),
  '8 price decider-g-12b': by(PRICE, '8 price: credit for N requests answers N of many concurrent ones'),
  '8 price decider-g-31b': by(PRICE),
  '8 rule 1': by('8 rule 1: output tokens are free', PRICE),
  '8 rule 3': by('8 rule 3: a refused request costs nothing'),
  '8 rule 4': SEEN,
  '8 rule 5': {
    by: [USAGE],
    elsewhere: ['test/decide/plan/images.test.ts', 'test/server/seen-images.test.ts'],
  },
  '8 data handling': by(
    '8 data handling: the log holds method, path, status and duration',
    '8 data handling: nothing of a live request is stored',
  ),
  '9 rule 1': by('9 rule 1: every path but the health check begins with its version'),
  '9 rule 2': by('9 rule 2: a dated build is accepted and returned', MODELS),
  '9 rule 3': by('9 rule 3: a release date is an ISO 8601 date or null'),
  '9 rule 4': { elsewhere: ['test/clients/typesafe-sdk.test.ts', 'test/clients/ai-sdk.test.ts'] },
  '9 rule 5': { none: 'it is about the client libraries of the hosted service' },
  '9 rule 6': { none: 'it promises nothing' },
};

/** Contract 7.4, by type: those of a live call, except those that have a row in contract 7.2. */
const LIVE: Partial<Record<ErrorType, Coverage>> = {
  http_version_not_supported: { elsewhere: ['test/http/exchanges.test.ts'] },
  headers_too_large: { elsewhere: ['test/http/exchanges.test.ts'] },
  not_found: by(live('not_found'), '9 rule 1: every path but the health check begins with its version'),
  host_not_allowed: { elsewhere: ['test/http/console.test.ts'] },
  method_not_allowed: by(live('method_not_allowed')),
  unauthorized: by(live('unauthorized'), '7 order: a request with several errors gets the first'),
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
    '2.1 other fields: unknown ones are ignored, wrong types are errors',
    '7 messages: a request’s strings are not repeated',
  ),
  model_not_found: by(live('model_not_found')),
  model_not_allowed: by(live('model_not_allowed')),
  missing: by(live('missing')),
  invalid_input: { elsewhere: ['test/decide/decisions/input.test.ts'] },
  invalid_questions: by(live('invalid_questions')),
  too_many_questions: by(live('too_many_questions')),
  invalid_type: by(live('invalid_type')),
  invalid_question: by(live('invalid_question')),
  too_many_options: by(live('too_many_options')),
  invalid_image_budget: by(live('invalid_image_budget')),
  invalid_assets: by(live('invalid_assets')),
  overloaded: { elsewhere: ['test/http/errors.test.ts', 'test/faults/overload.test.ts'] },
  model_unavailable: {
    by: ['7.4 model_unavailable: while the models load'],
    elsewhere: ['test/server/loading.test.ts'],
  },
  internal_error: { elsewhere: ['test/http/errors.test.ts'] },
};

/**
 * Every rule of `docs/contract.md`: `<section> <name>`, `<section> rule <n>`, or the section itself where it is one rule.
 */
export const RULES: Readonly<Record<string, Coverage>> = {
  ...OVERVIEW,
  ...RESOURCES,
  ...ENDPOINTS,
  ...KEYS,
  ...ERRORS,
  ...LIMITS,
  ...BATCH_RULES,
  ...Object.fromEntries(Object.entries(LIVE).map(([type, coverage]) => [`7.4 ${type}`, coverage])),
  ...TASK_RULES,
};
