import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { OperatorError, splitLines, withoutByteOrderMark } from '../../base/index.js';
import { type BenchmarkName, fromBenchmark } from './benchmarks.js';
import { type Case, CaseError, readCase } from './case.js';

/** The cases of a file. */
export interface Cases {
  /** The name of the file, without its folder. */
  readonly file: string;
  /** The SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
  readonly cases: readonly Case[];
}

/** Bounds of a cases file. It is held in memory. */
export const CASES_MAX = 100_000;
export const CASES_BYTES_MAX = 512 << 20;
/** Invalid lines that an error lists. */
const FAULTS_MAX = 20;

/**
 * Reads a cases file, or the file of a public benchmark.
 *
 * @throws OperatorError with `file:line: reason` for each of the first 20 invalid lines
 */
export function readCases(path: string, benchmark: BenchmarkName | null = null): Cases {
  const bytes = readFile(path);
  const file = basename(path);
  const faults: string[] = [];
  const cases: Case[] = [];
  const collected = new Collected();
  for (const { number, bytes: line } of splitLines(withoutByteOrderMark(bytes))) {
    try {
      if (cases.length >= CASES_MAX) throw new CaseError(`a file has at most ${CASES_MAX} cases; split it`);
      const found = readCase(benchmark === null ? line : fromBenchmark(benchmark, line, number), number);
      collected.add(found);
      cases.push(found);
    } catch (error) {
      if (!(error instanceof CaseError)) throw error;
      faults.push(`${path}:${number}: ${error.message}`);
      if (faults.length >= FAULTS_MAX || cases.length >= CASES_MAX) break;
    }
  }
  if (faults.length > 0) throw new OperatorError(faults);
  if (cases.length === 0) throw new OperatorError(`${path} has no cases.`);
  return { file, sha256: createHash('sha256').update(bytes).digest('hex'), cases };
}

/** Ids and groups seen so far. */
class Collected {
  private readonly ids = new Map<string, number>();
  private readonly groups = new Map<string, Case>();

  /** Throws CaseError for a repeated id, and for a group in both splits: its cases would leak from one to the other. */
  add(found: Case): void {
    const { id, line, group, split } = found;
    const first = this.ids.get(id);
    if (first !== undefined)
      throw new CaseError(`\`id\` ${JSON.stringify(id)} was already used in line ${first}`);
    this.ids.set(id, line);
    if (group === null) return;
    const other = this.groups.get(group);
    if (other === undefined) this.groups.set(group, found);
    else if (other.split !== split) {
      throw new CaseError(
        `the group ${JSON.stringify(group)} is in the split ${split ?? 'none'} here and in ${other.split ?? 'none'} in line ${other.line}; a group belongs to one split`,
      );
    }
  }
}

function readFile(path: string): Buffer {
  try {
    const { size } = statSync(path);
    if (size > CASES_BYTES_MAX) {
      throw new OperatorError(`${path} has ${size} bytes; the limit is ${CASES_BYTES_MAX}. Split it.`);
    }
    return readFileSync(path);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`The cases cannot be read: ${(error as Error).message}.`);
  }
}
