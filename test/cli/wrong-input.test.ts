import { join } from 'node:path';
import { test } from 'tap';
import { readJsonFile } from '../../src/base/index.js';
import { impostor } from '../../src/engine/models/model-file.js';
import { readCases } from '../../src/evaluation/index.js';
import { hubSettings } from '../../src/hub/index.js';
import { run } from '../support/cli.js';
import { freePort } from '../support/free-port.js';

const CASE = JSON.stringify({
  id: 'a',
  request: { state: 's', questions: { q: { type: 'noul', instructions: 'i' } } },
  expected: { q: true },
});

test('files of Windows tools: a byte order mark is accepted, UTF-16 is named', async (t) => {
  const folder = t.testdir({
    'bom.json': '\ufeff{"a": 1}',
    'wide.json': Buffer.from('\ufeff{"a": 1}', 'utf16le'),
    'cases.jsonl': `\ufeff${CASE}\n`,
  });
  t.strictSame(readJsonFile(join(folder, 'bom.json')), { a: 1 });
  t.throws(() => readJsonFile(join(folder, 'wide.json')), { message: /UTF-16\. Save it as UTF-8/ });
  t.throws(() => readJsonFile(folder), { message: /folder/ });
  t.equal(readCases(join(folder, 'cases.jsonl')).cases.length, 1);
});

test('what was stored in place of a model is named', (t) => {
  t.match(
    impostor(Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:0')),
    /LFS pointer.*git lfs pull/,
  );
  t.match(impostor(Buffer.from('\n<!DOCTYPE html><html>')), /HTML/);
  t.match(impostor(Buffer.from('<?xml version="1.0"?><Error>')), /XML/);
  t.match(impostor(Buffer.alloc(0)), /empty/);
  t.equal(impostor(Buffer.from('GGUF\u0003')), null);
  t.end();
});

test('proxies and home folders', (t) => {
  for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY']) {
    for (const value of ['proxy:3128', 'user:secret@proxy:3128', 'socks5://proxy', 'http://'])
      t.throws(() => hubSettings({ [name]: value }, '/none'), {
        message: new RegExp(`^${name} must be the URL of a proxy`),
      });
    t.doesNotThrow(() => hubSettings({ [name]: 'http://proxy:3128' }, '/none'));
    t.doesNotThrow(() => hubSettings({ [name]: '' }, '/none'));
  }
  t.equal(hubSettings({}, '').token, null, 'no home folder');
  t.end();
});

test('every command that reads a file or asks a server names what is wrong in one line', async (t) => {
  const folder = t.testdir({
    'bom.jsonl': `\ufeff{"custom_id":"a"}\n`,
    binary: Buffer.from([0, 1, 2, 0xff, 0xfe]),
    empty: '',
    'array.json': '[]',
  });
  const at = (name: string) => join(folder, name);
  const dead = `http://127.0.0.1:${await freePort()}`;
  const ask = (url: string, ...more: string[]) => ['batches', 'list', '--token', 'x', '--url', url, ...more];
  const rows: ReadonlyArray<readonly [readonly string[], RegExp, Record<string, string>?]> = [
    [ask(dead), /^url: http:\S+ cannot be reached \(ECONNREFUSED\)/],
    [ask('ftp://host'), /^url: not an http or https URL/],
    [ask('host'), /^url: not an http or https URL/],
    [['batches', 'list', '--url', dead], /^url: http:\S+ cannot be reached/, { DECIDER_TOKEN: 'x\r\n' }],
    [['batches', 'list', '--url', dead], /^token: give --token/, { DECIDER_TOKEN: '\n' }],
    [
      ['load', dead, '--token', 'x\n', '--rates', '1'],
      /^url: http:\S+ cannot be reached \(ECONNREFUSED\): .*running/,
    ],
    [['load', dead, '--seconds', 'x'], /^seconds: /],
    [['load', dead, '--seconds', '3601'], /^seconds: /],
    ...['usage', 'audit', 'doctor', 'reload'].flatMap((name) => [
      [[name, '--config', at('none')], /the file does not exist/] as const,
      [[name, '--config', folder], /folder/] as const,
      [[name, '--config', at('binary')], /not valid JSON|UTF-16/] as const,
      [[name, '--config', at('empty')], /not valid JSON/] as const,
      [[name, '--config', at('array.json')], /must be a JSON object/] as const,
    ]),
    ...['none', 'binary', 'empty'].map((name) => [['eval', at(name)], new RegExp(name)] as const),
    [['eval', folder], /cases cannot be read: EISDIR/],
  ];
  for (const [args, line, environment] of rows) {
    const { code, stdout, stderr } = await run(t, args, environment);
    const said = (stderr + stdout).trimEnd();
    t.equal(code, 1, args.join(' '));
    t.match(said, line, args.join(' '));
    t.equal(said.split('\n').length, 1, `${args.join(' ')}: one line, not ${JSON.stringify(said)}`);
    t.notMatch(said, /^\s+at /m);
  }
  const { stderr } = await run(t, ['batches', 'submit', at('bom.jsonl'), '--token', 'x', '--url', dead]);
  t.match(stderr, /byte order mark/);
});
