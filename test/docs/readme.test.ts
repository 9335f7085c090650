import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { ERRORS, LIMITS, ROUTES } from '../../src/api/index.js';
import { METRICS } from '../../src/base/index.js';
import { MANIFEST_SCHEMA } from '../../src/engine/index.js';
import { SETTINGS } from '../../src/server/index.js';
import { decider } from '../helpers/cli.js';
import { checkTable } from '../helpers/generated-table.js';
import { ROOT } from '../tidy/sources.js';

// `DOCS=write` writes the generated parts anew.
const file = (name: string) => join(ROOT, name);
const readme = () => readFileSync(file('README.md'), 'utf8');

const errors = Object.entries(ERRORS).map(
  ([type, { status, meaning }]) => `| \`${type}\` | ${status} | ${meaning} |`,
);

const settings = SETTINGS.map(({ key, variable, default: value, meaning, ...row }) => {
  const choices =
    'choices' in row ? ` One of ${row.choices.map((choice) => `\`${choice}\``).join(', ')}.` : '';
  const shown = value === '' ? '–' : `\`${value}\``;
  return `| \`${key}\` | \`${variable}\` | ${shown} | ${meaning}${choices} |`;
});

const metrics = Object.values(METRICS).map(
  ({ name, kind, labels, help }) =>
    `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
);

for (const [name, rows] of Object.entries({ errors, settings, metrics })) {
  test(`the README's table of ${name} is the code's`, async (t) => checkTable(t, 'README.md', name, rows));
}

test('the README names every route and the limits of a body', async (t) => {
  for (const { method, path, meaning } of ROUTES) t.match(readme(), `| \`${method} ${path}\` | ${meaning} |`);
  for (const limit of [LIMITS.jsonContainers, LIMITS.jsonValues, LIMITS.jsonKeys, LIMITS.stateCodePoints]) {
    t.match(readme(), limit.toLocaleString('en'));
  }
});

test('models/manifest.schema.json is the schema of the code', async (t) => {
  const schema = `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...MANIFEST_SCHEMA }, null, 2)}\n`;
  if (process.env.DOCS === 'write') writeFileSync(file('models/manifest.schema.json'), schema);
  t.equal(readFileSync(file('models/manifest.schema.json'), 'utf8'), schema);
});

test('every command the README names is a script or a command', async (t) => {
  const { scripts } = JSON.parse(readFileSync(file('package.json'), 'utf8'));
  for (const [, name] of readme().matchAll(/npm run ([\w:]+)/g))
    t.ok((name as string) in scripts, `npm run ${name}`);
});

test('the README names every command of the command line', async (t) => {
  const help = async (...args: string[]) => (await decider(t, [...args, '--help']).end()).stdout;
  const names = (text: string) =>
    [...text.matchAll(/^ {2}([a-z]+) .*$/gm)].map((match) => match[1] as string);
  const section = readme().split('## Command line')[1]?.split('\n## ')[0] ?? '';
  for (const group of names(await help()).filter((name) => name !== 'help')) {
    t.match(section, `npx decider ${group}`);
    const row = section
      .split('\n')
      .filter((line) => line.includes(`npx decider ${group}`))
      .join('\n');
    const inner = ['workspaces', 'keys', 'models'].includes(group) ? names(await help(group)) : [];
    for (const name of inner.filter((name) => name !== 'help'))
      t.match(row, new RegExp(`\\b${name}\\b`), group);
  }
});
