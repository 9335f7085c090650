import { spawnSync } from 'node:child_process';
import { test } from 'tap';
import { run } from '../support/cli.js';

test('completion: bash offers what may follow the words before the cursor', async (t) => {
  const { code, stdout: script } = await run(t, ['completion', 'bash']);
  t.equal(code, 0);
  const complete = (...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _decider; echo "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', `${script}\n${ask}`], { encoding: 'utf8' });
    t.equal(stderr, '');
    return stdout.trim();
  };
  t.equal(complete('decider', 'key'), 'keys');
  t.equal(complete('decider', '--v'), '--version');
  t.equal(complete('decider', 'store', ''), 'migrate move --help');
  t.equal(complete('decider', 'workspaces', 'c'), 'create close credit');
  t.equal(complete('decider', 'batches', 'submit', 'file.jsonl', '--w'), '--wait --webhook');
  t.equal(complete('decider', 'keys', 'create', '--workspace', 'keys', '--e'), '--expires');
  t.equal(complete('decider', 'tasks', ''), 'list show put delete labels promote fit --help');
  t.equal(complete('decider', 'completion', '--'), '--help');
});

test('completion: zsh takes the script of bash, fish has its own', async (t) => {
  const { stdout: zsh } = await run(t, ['completion', 'zsh']);
  t.match(zsh, /bashcompinit[\s\S]+_decider\(\)/);
  const { stdout: fish } = await run(t, ['completion', 'fish']);
  t.match(fish, /^complete -c decider -n 'test \(__decider_path\) = \/keys\/create\/' -l expires -d /m);
});

test('completion: another shell is an error that names the choices', async (t) => {
  const { code, stderr } = await run(t, ['completion', 'tcsh']);
  t.equal(code, 1);
  t.match(stderr, /Allowed choices are bash, zsh, fish/);
});
