/** One rule broken: the text in a source file, which occurs there once, and its replacement. */
export interface Mutation {
  readonly rule: string;
  /** Below `src`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The file below `test` that notices it; the contract's tests where there is none. */
  readonly test?: string;
}

const inFile = (file: string, ...changes: readonly (readonly [rule: string, from: string, to: string])[]) =>
  changes.map(([rule, from, to]): Mutation => ({ rule, file, from, to }));

/** Every one of these must be noticed by a test of the contract: `npm run mutations` shows it. */
export const MUTATIONS: readonly Mutation[] = [
  ...inFile(
    'api/limits.ts',
    ['2.1 questions', 'questions: 16,', 'questions: 17,'],
    ['2.2 criteria', 'optionsPerQuestion: 26,', 'optionsPerQuestion: 27,'],
    ['2.2 criteria', 'scoreLevelsMin: 2,', 'scoreLevelsMin: 1,'],
    ['8 limit option rotations', 'optionRotations: 26,', 'optionRotations: 27,'],
    ['8 limit prompts', 'promptsPerRequest: 400,', 'promptsPerRequest: 416,'],
    ['8 limit model input', 'stateCodePoints: 20_000,', 'stateCodePoints: 20_001,'],
    ['4.1 rule 1', '  bodyBytes: 32 * 1024 * 1024,', '  bodyBytes: 32 * 1024 * 1024 + 1,'],
    ['4.1 rule 1', 'decompressedBodyBytes: 32 * 1024 * 1024,', 'decompressedBodyBytes: 33 * 1024 * 1024,'],
    ['8 limit assets', '  assets: 8,', '  assets: 9,'],
    ['8 limit images in a question', 'imagesPerQuestion: 8,', 'imagesPerQuestion: 9,'],
    ['2.3 references', 'referenceBytes: 1_024,', 'referenceBytes: 1_025,'],
    ['8 limit image size', 'imageBytes: 16 * 1024 * 1024,', 'imageBytes: 16 * 1024 * 1024 + 1,'],
    ['8 limit image sides', 'imageSidePixelsMin: 280,', 'imageSidePixelsMin: 279,'],
    ['8 limit image sides', 'imageSidePixelsMax: 1_568,', 'imageSidePixelsMax: 1_569,'],
    ['2.1 image_budget', 'IMAGE_BUDGETS = [70, 140, 280]', 'IMAGE_BUDGETS = [70, 140, 280, 560]'],
  ),
  ...inFile(
    'decide/answers/answer.ts',
    ['2.4 noul', 'COMMITTED = 8_000', 'COMMITTED = 7_900'],
    ['2.4 choice', '(n * best - UNITS) / (n - 1)', '(n * best - UNITS) / n'],
    ['2.4 score', 'description ?? name', "description ?? ''"],
    ['2.4 score', 'u * Math.abs(i - level)', 'u * Math.abs(i - level - 1)'],
    ['2.4 choice', 'units.indexOf(Math.max(...units))', 'units.lastIndexOf(Math.min(...units))'],
  ),
  ...inFile(
    'decide/answers/response.ts',
    ['2.4 usage', 'input_tokens: usage.inputTokens', 'input_tokens: usage.inputTokens + 1'],
    ['2.4 usage', 'output_tokens: usage.outputTokens', 'output_tokens: 1'],
  ),
  ...inFile(
    'decide/request/state-text.ts',
    ['2.1 state', 'this.text += lineBreak + brackets[1];', 'this.text += brackets[1];'],
    ['2.1 state', 'this.text += node.source;', 'this.text += JSON.stringify(Number(node.source));'],
  ),
  ...inFile(
    'decide/request/criteria.ts',
    ['2.2 criteria', 'entries.length === 2 && whenYes', 'whenYes'],
    ['2.2 criteria', "options.some(({ key }) => key === '')", 'false'],
    ['2.2 criteria', 'if (repeated !== undefined)', 'if (repeated === null)'],
  ),
  ...inFile(
    'decide/request/questions.ts',
    ['2.2 instructions', 'systemOne ? fromSystemOne(subject, sent) : sent', 'fromSystemOne(subject, sent)'],
    ['2.2 type', 'if (type === undefined)', "if (type === '')"],
    ['7.4 invalid_questions', 'if (entries.length === 0)', 'if (entries.length < 0)'],
  ),
  ...inFile(
    'decide/request/read-request.ts',
    ['2.1 state', '&& !systemOne)', '&& false)'],
    ['5 rule 9', 'if (!options.allows(model))', 'if (false)'],
    ['4.2 rule 2', "options.format === 'systemone') return null;", 'false) return null;'],
    ['2.1 model', 'if (options.knows(value))', 'if (true)'],
  ),
  ...inFile(
    'http/pipeline.ts',
    [
      '4.1 Service-Key-Id and Service-Key-Expires',
      'caller === undefined ? callerOf(app, incoming) : caller',
      'null',
    ],
    ['4.1 X-RateLimit', '...rateHeaders(caller.rates()),', ''],
    ['4.6 where', 'target.model ?? options.model', 'options.model'],
    ['4.6 where', 'app.serves(found.model, model())', 'app.serves(found.model, null)'],
  ),
  ...inFile(
    'http/reply.ts',
    ['4.1 X-Request-Id', "['X-TypeSafe-Request-Id', requestId],", ''],
    ['4.1 Retry-After', "headers.push(['Retry-After'", "void (['Retry-After'"],
    ['5 rule 3', "headers.push(['WWW-Authenticate', 'Bearer']);", ''],
    ['7.4 method_not_allowed', "headers.push(['Allow', allow.join(', ')]);", ''],
  ),
  ...inFile(
    'http/check-content.ts',
    ['4.1 rule 2', 'if (known !== undefined && values.length === 1)', 'if (true)'],
    ['4.1 rule 1', 'if (length === null)', 'if (length === -1)'],
    ['7.4 unsupported_media_type', '!types.some(isMultipart)', 'true'],
  ),
  ...inFile(
    'http/diagnostic-headers.ts',
    ['4.1 Service-Raw-Probabilities', "value.toLowerCase() === 'true'", "value !== ''"],
    ['4.1 Service-Label-Mass', "isTrue(headers, 'service-label-mass')", 'false'],
    ['4.1 Service-Option-Rotations', 'values.length === 1 && rotations >= 1', 'rotations >= 0'],
  ),
  ...inFile(
    'decide/rotations.ts',
    ['4.1 Service-Option-Rotations', '(index * options.length) / count', 'index'],
    ['8 limit prompts', 'if (prompts <= LIMITS.promptsPerRequest) return;', 'return;'],
  ),
  ...inFile(
    'decide/diagnostics.ts',
    ['2.5 option_rotations', 'if (isValid) return Number(value);', 'return Number(value);'],
    ['2.5 label_mass', "if (typeof value === 'boolean') return value;", 'return value === true;'],
  ),
  ...inFile(
    'http/route-handlers.ts',
    ['2.8 object', "object: 'list'", "object: 'models'"],
    ['2.8 models', 'release_date: releaseDate', 'release_date: null'],
    ['4.5', '{"status":"ok"}', '{"status":"up"}'],
  ),
  ...inFile(
    'storage/folder/ledger/counters.ts',
    ['4.10 rule 2', 'this.counters.get(key) ?? []', '[]'],
    ['4.10 rule 3', 'table.entries(workspace, day, key)', 'table.entries(workspace, day)'],
  ),
  ...inFile(
    'api/limits.ts',
    ['4.10 rule 1', 'usageDays: 92', 'usageDays: 93'],
    ['4.10 rule 1', 'usageDaysDefault: 30', 'usageDaysDefault: 31'],
  ),
  ...inFile('server/account-json.ts', ['2.12 total', 'sum.amount + amount', 'amount']),
  ...inFile('http/match.ts', [
    '9 rule 1',
    "target.split('?', 1)[0] as string;",
    "target.split('?', 1)[0]!.toLowerCase();",
  ]),
  ...inFile(
    'access/keys.ts',
    ['5 rule 3', 'expires === null || now <= expires', 'true'],
    ['5 rule 3', 'return revoked === null && ', 'return '],
  ),
  ...inFile('access/key-changes.ts', ['5 rule 8', 'endOfNextDay(now));', 'now);']),
  ...inFile(
    'storage/folder/ledger/ledger.ts',
    ['5 rule 6', 'refuse(this.pause(workspace));', ''],
    ['8 price decider-g-12b', 'refuse(this.lacks(caller, charge));', ''],
    ['8 price decider-g-12b', 'account.charge(amount, ', 'account.charge(amount - 1n, '],
  ),
  ...inFile('settings/prices.ts', ['8 price decider-g-31b', 'decider-g-31b=0.005/', 'decider-g-31b=0.004/']),
  ...inFile('access/workspaces.ts', [
    '8 limit request bytes',
    'bytesPerMinute: 256 * 1024 * 1024',
    'bytesPerMinute: 256 * 1024 * 1024 + 1',
  ]),
  ...inFile('decide/content/multipart.ts', ['4.1 rule 3', "REQUEST = 'request'", "REQUEST = 'body'"]),
  ...inFile('images/check-image.ts', ['2.3 data_base64', 'text.length % 4 !== 0 || ', '']),
  ...inFile(
    'images/check-image.ts',
    ['7.2 unsupported_image_format', "fault === 'animated'", "fault === ''"],
    ['2.3 format', 'if (formatOf(bytes) === format)', 'if (format !== null)'],
  ),
  ...inFile('images/image-reader.ts', ['7.2 invalid_image', 'if (predicate !== null)', 'if (false)']),
  ...inFile(
    'decide/request/assets.ts',
    ['2.3 type', "entry.type !== 'image'", "entry.type === ''"],
    ['2.3 part', 'if (base64 !== null && part === null)', 'if (base64 !== null)'],
    ['2.3 references', "if (reference === '')", 'if (reference === null)'],
  ),
  ...inFile(
    'decide/references/find-uses.ts',
    ['4.3 rule 7', 'if (unshown >= 0)', 'if (false)'],
    ['7.2 too_many_images', 'usesOf(uses).length > left', 'usesOf(uses).length > most'],
    ['4.3 rule 1', 'find(instructions, json)', 'find(null, undefined)'],
    ['4.3 rule 1', 'find(option.description, option.json)', 'find(null, undefined)'],
  ),
  ...inFile('decide/references/find-uses.ts', ['4.3 rule 6', 'end > length)', 'end > length + 1)']),
  ...inFile('decide/references/search.ts', [
    '4.3 rule 5',
    'if (start <= held.start)',
    'if (start < held.start)',
  ]),
  ...inFile('decide/request-images.ts', ['4.3 rule 7', 'if (!named.has(name))', 'if (false)']),
  ...inFile('decide/plan.ts', [
    '8 limit model input',
    'prefix.length + tokens.length > contextLength',
    'false',
  ]),
  ...inFile('server/service.ts', [
    '8 price decider-g-31b',
    'priceOf(build, set).live',
    'priceOf(build, set).batch',
  ]),
];
