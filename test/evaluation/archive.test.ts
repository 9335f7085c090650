import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { OperatorError } from '../../src/base/index.js';
import { Archive, type ArchivedAnswer, readArchive } from '../../src/evaluation/archive.js';

const HEADER = {
  format: 'decider archive 1',
  cases_sha256: 'abc',
  target: { kind: 'server', url: 'http://a', concurrency: 4 },
  model: null,
} as const;
const answer = (id: string): ArchivedAnswer => ({ case: id, variant: 'sent', repeated: 0, response: { id } });

test('an archive is private, grows, and is read back', async (t) => {
  const file = join(t.testdir({}), 'a.jsonl');
  const archive = Archive.create(file, HEADER);
  archive.add(answer('1'));
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(readArchive(file)?.answers.length, 1, 'an answer is in the file at once');
  t.throws(() => Archive.resume(file, HEADER), /in use/);
  archive.close();
  t.throws(() => Archive.create(file, HEADER), /exists\. Continue it with --resume/);
  const more = Archive.resume(file, { ...HEADER, target: { ...HEADER.target, concurrency: 9 } });
  t.strictSame(more.earlier, [answer('1')]);
  more.add(answer('2'));
  more.close();
  t.strictSame(readArchive(file)?.answers, [answer('1'), answer('2')]);
  t.equal(readArchive(join(t.testdir({}), 'none')), null);
});

test('a new archive that cannot be locked is closed, and removed unless another process has it', async (t) => {
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  const file = join(t.testdir({}), 'a.jsonl');
  const noLocks = () => {
    throw new OperatorError('no locks');
  };
  t.throws(() => Archive.create(file, HEADER, noLocks), /no locks/);
  t.notOk(existsSync(file));
  t.throws(() => Archive.create(file, HEADER, () => null), /in use/);
  t.ok(existsSync(file));
  t.equal(open(), before);
});

test('an archive that cannot be cut to its whole lines is closed, and can be opened again', async (t) => {
  const file = join(t.testdir({}), 'a.jsonl');
  Archive.create(file, HEADER).close();
  writeFileSync(file, `${JSON.stringify(HEADER)}\n`);
  const before = readdirSync('/proc/self/fd').length;
  const noRoom = () => {
    throw new Error('no room');
  };
  t.throws(() => Archive.resume(file, HEADER, noRoom), /no room/);
  t.equal(readdirSync('/proc/self/fd').length, before);
  Archive.resume(file, HEADER).close();
});

test('the line that a kill cut is removed', async (t) => {
  const file = join(t.testdir({}), 'a.jsonl');
  const archive = Archive.create(file, HEADER);
  archive.add(answer('1'));
  archive.close();
  appendFileSync(file, '{"case":"2","variant":"se');
  const more = Archive.resume(file, HEADER);
  more.add(answer('3'));
  more.close();
  t.strictSame(readArchive(file)?.answers, [answer('1'), answer('3')]);
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, 10));
  const anew = Archive.resume(file, HEADER);
  t.match(readArchive(file), { header: HEADER, answers: [] });
  anew.close();
  t.equal(readArchive(file), null, 'an archive without answers is removed');
});

test('only the beginning of an archive is removed as one that a kill cut', async (t) => {
  const file = join(t.testdir({}), 'a.jsonl');
  const line = JSON.stringify(HEADER);
  for (const cut of ['', '{', line.slice(0, 20), line.slice(0, 40), line]) {
    writeFileSync(file, cut);
    const anew = Archive.resume(file, HEADER);
    anew.add(answer('1'));
    anew.close();
    t.equal(readArchive(file)?.answers.length, 1, cut);
  }
  for (const other of ['precious', ' ', '{"precious":1}', `${line.slice(0, 20)}?`, '[', line.toUpperCase()]) {
    writeFileSync(file, other);
    t.throws(() => Archive.resume(file, HEADER), {
      message: `${file} is not an archive. Name another --archive.`,
    });
    t.equal(readFileSync(file, 'utf8'), other);
  }
});

test('an archive of something else is not continued', async (t) => {
  const file = join(t.testdir({}), 'a.jsonl');
  const archive = Archive.create(file, HEADER);
  archive.add(answer('1'));
  archive.close();
  const others = [
    [{ ...HEADER, cases_sha256: 'def' }, /made with other cases/],
    [{ ...HEADER, model: 'm' }, /made with no --model/],
    [{ ...HEADER, target: { ...HEADER.target, url: 'http://b' } }, /another target: .*http:\/\/a/],
  ] as const;
  for (const [header, reason] of others) t.throws(() => Archive.resume(file, header), reason);
  Archive.resume(file, HEADER).close();
  appendFileSync(file, 'damaged\n');
  t.throws(() => Archive.resume(file, HEADER), /a\.jsonl:3: not a line of an archive/);
  writeFileSync(file, 'precious\n');
  t.throws(() => Archive.resume(file, HEADER), /is not an archive/);
  t.equal(readFileSync(file, 'utf8'), 'precious\n');
});

// `ulimit -f 8` ends a file within some KiB, in the middle of a line.
const FILL = `
const { Archive } = await import(process.argv[1]);
const header = { format: 'decider archive 1', cases_sha256: 'abc', target: {}, model: null };
const archive = Archive.create(process.argv[2], header);
let added = 0;
const add = () => archive.add({ case: String(added), variant: 'sent', repeated: 0, response: 'x'.repeat(300) });
const failures = [];
while (failures.length < 2) {
  try { add(); added += 1; } catch (error) { failures.push(error.constructor.name + ': ' + error.message); }
}
archive.close();
console.log(JSON.stringify({ added, failures }));
`;

test('a full disk leaves whole lines, and nothing is added after it', async (t) => {
  const file = join(t.testdir({}), 'a.jsonl');
  const module = new URL('../../src/evaluation/archive.js', import.meta.url).href;
  const node = [process.execPath, '--input-type=module', '-e', FILL, module, file];
  const { stdout, stderr } = spawnSync('sh', ['-c', 'ulimit -f 8; exec "$@"', 'sh', ...node], {
    env: {},
    encoding: 'utf8',
  });
  t.equal(stderr, '');
  const { added, failures } = JSON.parse(stdout);
  t.ok(added > 1);
  const reason = `OperatorError: The archive ${file} cannot be written: EFBIG: file too large, write. Remove the cause, then repeat the command with --resume.`;
  t.strictSame(failures, [reason, reason]);
  t.equal(readFileSync(file, 'utf8').at(-1), '\n');
  t.equal(readArchive(file)?.answers.length, added);
});
