import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { test } from 'tap';
import {
  AUDIT_ACTIONS,
  ERRORS,
  OPERATOR_API,
  OPERATOR_ERRORS,
  OPERATOR_ROUTES,
  ROUTES,
} from '../../src/api/index.js';
import { MANIFEST_SCHEMA } from '../../src/engine/models/manifest-schema.js';
import { listSettings, SETTINGS } from '../../src/settings/index.js';
import { METRICS } from '../../src/telemetry/index.js';
import { checkTable } from '../support/generated-table.js';
import { PAGES, read } from '../support/pages.js';
import { ROOT } from '../support/sources.js';

// `DOCS=write` writes the generated parts anew.

const code = (name: string) => `\`${name}\``;

const errorRows = (errors: Readonly<Record<string, { readonly status: number; readonly meaning: string }>>) =>
  Object.entries(errors).map(([type, { status, meaning }]) => `| ${code(type)} | ${status} | ${meaning} |`);

const actions = Object.entries(AUDIT_ACTIONS).map(([action, meaning]) => `| ${code(action)} | ${meaning} |`);

const settings = listSettings(SETTINGS).map(({ key, variable, setting }) => {
  const { kind, defaultText, meaning, reloads } = setting;
  const value = defaultText === '' ? '–' : code(defaultText);
  const reload = reloads ? ' Can be [reloaded](#reload).' : '';
  return `| ${code(key)} | ${code(variable)} | ${kind} | ${value} | ${meaning}${reload} |`;
});

const metrics = Object.values(METRICS).map(
  ({ name, kind, labels, help }) =>
    `| ${code(name)} | ${kind} | ${labels.map(code).join(', ') || '–'} | ${help} |`,
);

const rowOf = ({ method, path, meaning }: Record<'method' | 'path' | 'meaning', string>) =>
  `| ${code(`${method} ${path}`)} | ${meaning} |`;

const TABLES = [
  ['docs/errors.md', 'errors', errorRows(ERRORS)],
  ['docs/configuration.md', 'settings', settings],
  ['docs/metrics.md', 'metrics', metrics],
  ['docs/api.md', 'routes', ROUTES.map(rowOf)],
  ['docs/operator.md', 'operator', OPERATOR_ROUTES.map(rowOf)],
  ['docs/operator.md', 'operator-api', OPERATOR_API.map(rowOf)],
  ['docs/operator.md', 'operator-errors', errorRows(OPERATOR_ERRORS)],
  ['docs/operator.md', 'audit', actions],
] as const;

for (const [page, name, rows] of TABLES) {
  test(`${page}: the table of ${name} matches the code`, async (t) => checkTable(t, page, name, rows));
}

test('every row of a table belongs to a table', async (t) => {
  for (const page of PAGES) {
    const lines = read(page)
      .replace(/^```[\s\S]*?^```$/gm, '')
      .split('\n');
    for (const [at, line] of lines.entries()) {
      if (!line.startsWith('|') || lines[at - 1]?.startsWith('|')) continue;
      if (!/^\|[-|: ]+\|$/.test(lines[at + 1] ?? '')) t.fail(`${page}: ${line.slice(0, 60)}`);
    }
  }
});

test('models/manifest.schema.json is the schema of the code', async (t) => {
  const file = join(ROOT, 'models/manifest.schema.json');
  const schema = `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...MANIFEST_SCHEMA }, null, 2)}\n`;
  if (process.env.DOCS === 'write') writeFileSync(file, schema);
  t.equal(readFileSync(file, 'utf8'), schema);
});

test('src/engine/models/manifest-check.ts is what ajv makes of the schema', async (t) => {
  const file = join(ROOT, 'src/engine/models/manifest-check.ts');
  // By default, ajv counts code points with a function that it would load. The schema requires a length of 1 at most.
  const ajv = new Ajv({
    code: { source: true, esm: true, lines: true },
    messages: false,
    unicode: false,
    logger: false,
  });
  ajv.addSchema(MANIFEST_SCHEMA, 'manifest');
  const head =
    '// Long because ajv writes it from manifest-schema.ts: DOCS=write node dist/test/main.js docs/tables\n// @ts-nocheck\n';
  const text = head + standalone.default(ajv, { isManifest: 'manifest' });
  if (process.env.DOCS === 'write') writeFileSync(file, text);
  t.equal(readFileSync(file, 'utf8'), text);
});
