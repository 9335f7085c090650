import { execFileSync } from 'node:child_process';
import { LONG } from './scale.js';

/** Another Node.js than the one that runs the tests. */
interface OtherNode {
  /** `24.11.0` */
  readonly version: string;
  /** The path of the program. */
  readonly program: string;
}

/** The versions that run clients, besides the one that runs the tests. */
const MAJORS = [20, 22, 24, 26];
/** Downloading one takes seconds. */
const INSTALL_MS = 120_000;

/**
 * The versions of Node.js of which programs of others are run. `TEST_NODES`: paths of programs, separated by colons. Without
 * it, at full scale, npm gets them; without a network there are none, and a warning says so.
 */
export function otherNodes(): readonly OtherNode[] {
  const given = process.env.TEST_NODES?.split(':').filter((path) => path !== '');
  if (given !== undefined) return given.map((program) => ({ version: versionOf(program), program }));
  if (!LONG) return [];
  const own = Number(process.versions.node.split('.')[0]);
  return MAJORS.filter((major) => major !== own).flatMap((major) => fromNpm(major) ?? []);
}

function fromNpm(major: number): OtherNode | null {
  const print = 'console.log(process.execPath)';
  try {
    const args = ['exec', '--yes', `--package=node@${major}`, '--', 'node', '-e', print];
    const program = execFileSync('npm', args, {
      encoding: 'utf8',
      timeout: INSTALL_MS,
      stdio: 'pipe',
    }).trim();
    return { version: versionOf(program), program };
  } catch {
    process.stderr.write(`\n*** NODE ${major} IS NOT AVAILABLE: clients were NOT tested on it ***\n\n`);
    return null;
  }
}

const versionOf = (program: string): string =>
  execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().slice(1);
