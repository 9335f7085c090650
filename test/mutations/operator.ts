import type { Mutation } from './contract.js';

type Change = readonly [test: string, rule: string, from: string, to: string];

const inFile = (file: string, ...changes: readonly Change[]) =>
  changes.map(([test, rule, from, to]): Mutation => ({ rule, file, from, to, test }));

const [API, REQUESTS, PARTS] = ['server/operator-api', 'server/operator-requests', 'server/operator-parts'];

const [CURSORS, PAGES, PAGING] = [
  'access/page-cursors',
  'server/operator-pages',
  'storage/database/administration/paging',
];

/** Every one of these must be noticed by the test it names: `npm run mutations -- --of operator` shows it. */
export const OPERATOR_MUTATIONS: readonly Mutation[] = [
  ...inFile(
    'server/operator/answer-operator.ts',
    [REQUESTS, 'hosts', 'path.startsWith(INTERFACE)', 'false'],
    [
      REQUESTS,
      'token',
      'if (!carriesToken(request.headers.authorization, options.token)) throw unauthorized();',
      '',
    ],
    [REQUESTS, 'actor', 'proxies.clientOf({ peer, headers })', 'peer'],
    [API, 'field', "path.startsWith('/api/workspaces')", 'false'],
  ),
  ...inFile(
    'server/operator/operator-body.ts',
    [REQUESTS, 'body bytes', 'bytes <= OPERATOR_BODY_BYTES_MAX', 'bytes < OPERATOR_BODY_BYTES_MAX'],
    [REQUESTS, 'body bytes', 'bytes <= OPERATOR_BODY_BYTES_MAX', 'bytes <= OPERATOR_BODY_BYTES_MAX + 1'],
    [REQUESTS, 'UTF-8', '{ fatal: true }', '{ fatal: false }'],
    [REQUESTS, 'media type', "encoding !== 'identity'", 'false'],
  ),
  ...inFile(
    'server/operator/operator-target.ts',
    [REQUESTS, 'id characters', 'id.length <= PATH_ID_CHARACTERS_MAX', 'id.length < PATH_ID_CHARACTERS_MAX'],
    [REQUESTS, 'id characters', 'id.length <= PATH_ID_CHARACTERS_MAX', 'true'],
    [REQUESTS, 'id encoding', 'return decodeURIComponent(text);', 'return text;'],
  ),
  ...inFile(
    'server/operator/operator-fields.ts',
    [API, 'unknown field', 'Object.hasOwn(kinds, name)', 'name in kinds'],
    [API, 'missing field', 'if (missing !== undefined)', 'if (false)'],
    [API, 'repeated parameter', 'if (found[known] !== undefined)', 'if (false)'],
  ),
  ...inFile(
    'server/operator/api/workspaces.ts',
    [API, 'no model', 'if (models?.length === 0)', 'if (false)'],
    [API, 'unknown model', 'force ? undefined : {', 'true ? undefined : {'],
    [API, 'usage days', 'lastDays(clock.now(), days)', 'lastDays(clock.now(), days + 1)'],
  ),
  ...inFile('server/operator/api/records.ts', [
    API,
    'limit',
    '1, LISTED_MAX, LISTED',
    '1, LISTED_MAX + 1, LISTED',
  ]),
  ...inFile('server/operator/api/handlers.ts', [API, 'status 201', 'jsonReply(status,', 'jsonReply(200,']),
  ...inFile(
    'server/operator/api/activity.ts',
    [PARTS, 'sample', 'ms < SAMPLE_MS_MIN', 'ms <= SAMPLE_MS_MIN'],
    [PARTS, 'rate', '(total - this.last.total) / seconds', 'total / seconds'],
  ),
  ...inFile(
    'storage/folder/batches/newest.ts',
    [API, 'batches of a workspace', 'workspace === undefined || batch.workspace === workspace', 'true'],
    [API, 'more batches', 'found.length > limit', 'false'],
  ),
  ...inFile(
    'access/audit.ts',
    ['storage/folder/audit', 'unchanged field', 'old === now ? []', 'false ? []'],
    ['cli/audit', 'no change', 'before === undefined || changes.length > 0', 'true'],
    ['storage/folder/audit', 'value length', 'text.length > AUDIT_VALUE_CHARACTERS_MAX', 'false'],
  ),
  ...inFile(
    'storage/folder/lmdb/audit-log.ts',
    ['storage/folder/audit', 'oldest entry', 'number > AUDIT_ENTRIES_MAX', 'number > AUDIT_ENTRIES_MAX + 1'],
    ['storage/folder/audit', 'before', 'before - 1', 'before'],
  ),
  ...inFile('storage/folder/lmdb/store.ts', ['storage/folder/audit', 'actor', 'this.actor = before;', '']),
  ...inFile('storage/folder/administration/first-key.ts', [
    API,
    'first start',
    "store.as('server', () =>",
    '((work: () => { token: string }) => work())(() =>',
  ]),
  ...inFile('access/key-changes.ts', [
    'cli/audit',
    'revoked twice',
    'if (before.revoked !== null) return { result: before };',
    '',
  ]),
  ...inFile(
    'telemetry/recent-lines.ts',
    ['telemetry/recent-lines', 'kept', 'this.kept.length > LOG_LINES_KEPT', 'false'],
    [
      'telemetry/recent-lines',
      'message',
      'return message.slice(0, MESSAGE_CHARACTERS_MAX)',
      'return message',
    ],
    ['telemetry/recent-lines', 'reason', 'reason.slice(0, MESSAGE_CHARACTERS_MAX)', 'reason'],
  ),
  ...inFile(
    'access/page-cursors.ts',
    [CURSORS, 'cursor of another order', 'order !== sort || ', ''],
    [CURSORS, 'values of a cursor', 'shape(values[at])', 'true'],
    [CURSORS, 'text of a cursor', 'isString(value) && isPlainLine(value)', 'isString(value)'],
    [CURSORS, 'length of a cursor', '{1,1000}', '+'],
  ),
  ...inFile(
    'server/operator/list-query.ts',
    [PAGES, 'one place', 'if (other !== undefined)', 'if (false)'],
    [PAGES, 'no cursor', 'if (place !== undefined)', 'if (true)'],
  ),
  ...inFile(
    'storage/administration/asked-page.ts',
    [PAGING, 'opposite order', 'descending: !page.descending', 'descending: page.descending'],
    [PAGING, 'order of a page before', '[...items].reverse()', 'items'],
    [PAGING, 'last page', 'offset + items.length >= total', 'offset + items.length > total'],
    [PAGING, 'next page', 'offset + items.length >= total', 'offset + items.length + 1 >= total'],
    [PAGING, 'first page', 'offset === 0', 'offset <= 1'],
  ),
  ...inFile(
    'storage/folder/administration/pages.ts',
    [PAGING, 'passed entries', 'if (isPassed(key)) passed += 1;', 'if (false) passed += 1;'],
    [PAGING, 'place of a count', 'order(each, place) <= 0', 'order(each, place) < 0'],
    [PAGING, 'next entry', '(key) => key.compare(next) < 0', '(key) => key.compare(place) < 0'],
  ),
  ...inFile('storage/folder/lmdb/table.ts', [
    PAGING,
    'behind a place',
    '[largest(endOfPrefix(place), first), end]',
    '[largest(place, first), end]',
  ]),
  ...inFile(
    'storage/database/administration/pages.ts',
    [PAGING, 'null in an order', 'IS NOT DISTINCT FROM', '='],
    [PAGING, 'null is larger', ' IS NOT NULL)`;', ' IS NOT NULL AND false)`;'],
    [PAGING, 'null is not smaller', ' IS NULL)`;', ' IS NULL AND false)`;'],
  ),
];
