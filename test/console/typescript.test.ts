import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { type Draft, option, question } from '../../src/console/ask/ask-draft.js';
import { codeOf } from '../../src/console/ask/code.js';
import { EXAMPLES, FIRST_DRAFT } from '../../src/console/ask/examples.js';
import { buildRequest } from '../../src/console/ask/request.js';
import { imageDraft } from '../support/console/drafts.js';

test('the TypeScript program has no type errors', async (t) => {
  const root = join(import.meta.dirname, '../../..');
  const drafts: readonly Draft[] = [
    ...EXAMPLES.filter((each) => !each.readsImages).map((each) => ({ ...FIRST_DRAFT, ...each.draft() })),
    imageDraft,
    { ...FIRST_DRAFT, stateKind: 'json', state: '[true, null, 1.0]' },
    {
      ...FIRST_DRAFT,
      questions: [
        question('lists', 'choice', '', [option('a'), option('b')]),
        question('numbers', 'choice', '', [option('10'), option('2')]),
        question('sides', 'noul', '', [option('Yes', 'It is.'), option('No', 'It is not.')]),
      ],
    },
  ];
  const programs = drafts.map((draft) => codeOf('typescript', buildRequest(draft), 'http://h'));
  for (const program of programs) t.match(program, /^\/\/ npm pkg set type=module/);
  const folder = t.testdir({
    'package.json': '{"type":"module"}',
    ...Object.fromEntries(programs.map((program, at) => [`program-${at}.ts`, program])),
  });
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'es2023',
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    paths: { '@typesafe-ai/sdk': [join(root, 'node_modules/@typesafe-ai/sdk/dist/index.d.mts')] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  t.equal(stdout, '');
});
