import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { test } from 'tap';
import { checkFiles } from '../../src/cli/command-files.js';
import { program } from '../../src/cli/program.js';
import { run } from '../support/cli.js';
import { writeCases } from '../support/evaluation/cases.js';
import { writeRun } from '../support/evaluation/run-files.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { dataFolder, modelsFolder } from '../support/server.js';

/** Options with a file that the command only reads. */
const READ = ['--config', '--cases', '--results', '--compare', '--projector', '--new-key'];

/** Every command with outputs: its words, where INPUT stands for a file that it reads, and the options of its outputs. */
const INPUT = 'INPUT';
const COMMANDS: ReadonlyArray<readonly [words: readonly string[], outputs: readonly string[]]> = [
  [
    ['eval', INPUT],
    ['--archive', '--json', '--html', '--errors'],
  ],
  [
    ['eval', 'cases.jsonl', '--config', INPUT],
    ['--archive', '--json', '--html', '--errors'],
  ],
  [
    ['eval', 'cases.jsonl', '--results', INPUT],
    ['--json', '--html', '--errors'],
  ],
  [
    ['eval', 'cases.jsonl', '--compare', 'archive', INPUT],
    ['--json', '--html'],
  ],
  [
    ['load', 'http://127.0.0.1:9', '--cases', INPUT],
    ['--json', '--html'],
  ],
  [['usage', '--invoice', 'w', '--config', INPUT], ['--html']],
  [['tune', '--config', INPUT], ['--html']],
  [['batches', 'from-cases', INPUT], ['--out']],
  [['batches', 'submit', INPUT, '--wait'], ['--out']],
  [['batches', 'results', 'batch_1'], ['--out']],
];

test('every option that names an output is in the table of this test', async (t) => {
  const found: string[] = [];
  const visit = (command: Command, words: readonly string[]) => {
    for (const { flags, long } of command.options) {
      if (/<files?(\.\.\.)?>/.test(flags) && !READ.includes(long ?? ''))
        found.push([...words, long].join(' '));
    }
    for (const each of command.commands) visit(each, [...words, each.name()]);
  };
  visit(program, []);
  const words = ([first, second]: readonly string[]) => (first === 'batches' ? [first, second] : [first]);
  const tested = COMMANDS.flatMap(([of, outputs]) =>
    outputs.map((output) => [...words(of), output].join(' ')),
  );
  t.strictSame([...new Set(tested)].sort(), found.sort());
});

test('no command overwrites its own input, nor one output with another, nor begins without a place for them', async (t) => {
  const folder = t.testdir();
  const models = modelsFolder(dataFolder(t));
  const environment = { DECIDER_MODELS: models, DECIDER_DATA: dataFolder(t), DECIDER_TOKEN: 'dk_1' };
  t.equal((await run(t, ['workspaces', 'create', 'w'], environment)).code, 0);
  writeCases(join(folder, 'cases.jsonl'), random(1), 2);
  const { archive } = writeRun(folder, { cases: 2, seed: 1, temperature: 1, groups: 1 });
  const contents: Record<string, string> = {
    '--config': '{}',
    '--results': readFileSync(archive, 'utf8'),
    archive: readFileSync(archive, 'utf8'),
  };
  const at = (name: string) => join(folder, name);
  writeFileSync(at('archive'), contents.archive as string);
  for (const [words, outputs] of COMMANDS) {
    const before = words[words.indexOf(INPUT) - 1] ?? '';
    const content = contents[before] ?? readFileSync(at('cases.jsonl'), 'utf8');
    writeFileSync(at(INPUT), content);
    const args = words.map((word) => ([INPUT, 'cases.jsonl', 'archive'].includes(word) ? at(word) : word));
    const names = readdirSync(folder).sort();
    const refused = async (more: readonly string[], reason: RegExp) => {
      const { code, stdout, stderr } = await run(t, [...args, ...more], environment);
      const command = [...words, ...more].join(' ');
      t.strictSame([code, stdout], [1, ''], command);
      t.match(stderr, reason, command);
      t.strictSame(readdirSync(folder).sort(), names, command);
      t.equal(readFileSync(at(INPUT), 'utf8'), content, command);
    };
    for (const [index, output] of outputs.entries()) {
      const name = output.slice(2);
      if (words.includes(INPUT)) {
        await refused(
          [output, at(INPUT)],
          new RegExp(`^${name}: \\S+ is also the file of .*Name another file\\.\n$`),
        );
      }
      for (const other of outputs.slice(0, index)) {
        await refused([other, at('new'), output, at('new')], /^\w+: \S+ is also the file of --\w+, which/);
      }
      await refused(
        [output, join(folder, 'none', 'file')],
        new RegExp(`^${name}: the folder of \\S+ does not exist\\.\n$`),
      );
      await refused([output, folder], new RegExp(`^${name}: \\S+ is a folder\\. Name a file\\.\n$`));
      if (process.platform === 'linux') {
        await refused(
          [output, '/proc/file'],
          new RegExp(`^${name}: /proc/file cannot be written: \\w+: [^/]+\\.\n$`),
        );
      }
    }
  }
  const manifest = join(models, 'manifest.json');
  for (const words of [['tune'], ['eval', at('cases.jsonl')]]) {
    const { stderr } = await run(t, [...words, '--html', manifest], environment);
    t.match(stderr, /^html: \S+ is also the file of the manifest, which would be overwritten/);
  }
});

test('files are the same under any name and through any link', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  const folder = t.testdir();
  const files = ['a', 'b', 'c', 'new'];
  mkdirSync(join(folder, 'sub'));
  symlinkSync(folder, join(folder, 'sub', 'loop'));
  for (const file of files.slice(0, 3)) {
    writeFileSync(join(folder, file), file);
    linkSync(join(folder, file), join(folder, `${file}.hard`));
    symlinkSync(file, join(folder, `${file}.soft`));
  }
  symlinkSync('new', join(folder, 'new.soft'));
  /** A path of a file. A new one has no hard link. */
  const path = (file: string) => {
    const link = source.pick(file === 'new' ? ['', '.soft'] : ['', '.hard', '.soft']);
    return `${source.pick([folder, `${folder}/.`, `${folder}/sub/..`, `${folder}/sub/loop`])}/${file}${link}`;
  };
  for (let round = 0; round < 300; round += 1) {
    const chosen = Array.from({ length: 2 + source.integer(3) }, () => source.pick(files));
    const inputs = source.integer(chosen.length);
    const paths = chosen.map(path);
    const entries = paths.map((each, index) => [`o${index}`, each] as const);
    const isWrong = chosen.some((file, index) => index >= inputs && chosen.indexOf(file) < index);
    const check = () =>
      checkFiles({
        inputs: { in: paths.slice(0, inputs) },
        outputs: Object.fromEntries(entries.slice(inputs)),
      });
    if (isWrong) t.throws(check, { message: /is also the file of/ }, paths.join(' '));
    else t.doesNotThrow(check, paths.join(' '));
  }
  t.strictSame(
    readdirSync(folder).sort(),
    ['sub', 'new.soft', ...['a', 'b', 'c'].flatMap((file) => [file, `${file}.hard`, `${file}.soft`])].sort(),
  );
});

test('devices may be outputs more than once', async (t) => {
  const file = join(t.testdir({ in: '' }), 'in');
  t.doesNotThrow(() => checkFiles({ inputs: { in: file }, outputs: { a: '/dev/null', b: '/dev/null' } }));
  t.doesNotThrow(() => checkFiles({ inputs: { in: '/dev/null' }, outputs: { a: '/dev/null' } }));
  t.throws(() => checkFiles({ inputs: {}, outputs: { a: dirname(file) } }), { message: /is a folder/ });
  t.throws(() => checkFiles({ inputs: {}, outputs: { a: join(file, basename(file)) } }), {
    message: /the folder of/,
  });
});
