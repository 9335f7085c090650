// Puts the `decider` of this checkout on the path: a script of four lines in `bin` of a prefix. Run by
// `npm run install:command -- --prefix FOLDER`; `npm run uninstall:command` removes it. Writes nothing else.
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), '..', 'bin', 'decider.mjs');
const MARK = '# Starts decider. Written by `npm run install:command`.';
const SYSTEM_PREFIX = '/usr/local';
const USER_PREFIX = '.local';
/** No launcher is longer: a file with this name that is, belongs to another program. */
const LAUNCHER_BYTES_MAX = 8_192;

/** The command cannot be installed or removed; one line says why. */
class CommandError extends Error {}

/** The text of the launcher of a program. A new Node.js on the path is used without another installation. */
export const launcher = (program) =>
  `#!/bin/sh\n${MARK}\nexec node '${program.replaceAll("'", `'\\''`)}' "$@"\n`;

/** Where the launcher goes: `given`, else /usr/local if this user may write there, else ~/.local. */
export function prefixOf(given, mayWrite = isWritable, home = homedir()) {
  if (given !== undefined && given !== '') return resolve(given);
  return mayWrite(join(SYSTEM_PREFIX, 'bin')) ? SYSTEM_PREFIX : join(home, USER_PREFIX);
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Writes the launcher; it appears complete. Returns its path. Throws CommandError. */
export function installCommand(prefix, program = PROGRAM) {
  const file = join(prefix, 'bin', 'decider');
  requireOwn(file);
  const text = launcher(program);
  const temporary = `${file}.${process.pid}.new`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(temporary, text, { mode: 0o755, flag: 'wx' });
    // The mask of the process may have removed bits.
    chmodSync(temporary, 0o755);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new CommandError(
      `${file} cannot be written: ${error.message}. Give another folder: --prefix FOLDER`,
    );
  }
  return file;
}

/** Removes the launcher. Returns its path; null if there is none. Throws CommandError. */
export function uninstallCommand(prefix) {
  const file = join(prefix, 'bin', 'decider');
  if (!exists(file)) return null;
  requireOwn(file);
  try {
    rmSync(file);
  } catch (error) {
    throw new CommandError(`${file} cannot be removed: ${error.message}.`);
  }
  return file;
}

/** A link that leads nowhere exists too. */
function exists(file) {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw new CommandError(`${file}: ${error.message}. Give another folder: --prefix FOLDER`);
  }
}

/** Throws CommandError if another file has the name of the launcher. */
function requireOwn(file) {
  if (!exists(file)) return;
  const found = lstatSync(file);
  const isOwn =
    found.isFile() && found.size <= LAUNCHER_BYTES_MAX && readFileSync(file, 'utf8').includes(`\n${MARK}\n`);
  if (isOwn) return;
  throw new CommandError(
    `${file} is not a launcher that this command wrote. Remove it, or give another --prefix.`,
  );
}

function main() {
  const { values } = parseArgs({ options: { prefix: { type: 'string' }, uninstall: { type: 'boolean' } } });
  const prefix = prefixOf(values.prefix);
  if (values.uninstall) {
    const removed = uninstallCommand(prefix);
    console.log(removed === null ? `There is no ${join(prefix, 'bin', 'decider')}.` : `Removed ${removed}.`);
    return;
  }
  const file = installCommand(prefix);
  const onPath = (process.env.PATH ?? '').split(delimiter).includes(dirname(file));
  console.log(`Installed ${file}, which starts ${PROGRAM}.`);
  if (!onPath)
    console.log(`${dirname(file)} is not on the path. Add it: export PATH="${dirname(file)}:$PATH"`);
}

if (
  process.argv[1] !== undefined &&
  existsSync(process.argv[1]) &&
  resolve(process.argv[1]) === fileURLToPath(import.meta.url)
) {
  try {
    main();
  } catch (error) {
    if (!(error instanceof CommandError) && error.code?.startsWith('ERR_PARSE_ARGS') !== true) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
