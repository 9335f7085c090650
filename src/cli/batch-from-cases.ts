import { OperatorError, visible } from '../base/index.js';
import { checkLines } from '../batch/index.js';
import { batchLine, readCases } from '../evaluation/index.js';
import { readBenchmark } from './benchmark-format.js';
import { checkFiles } from './command-files.js';
import { printError, reportError } from './output.js';
import { writeReport } from './whole-output.js';

interface FromCasesOptions {
  readonly model?: string;
  readonly format?: string;
  readonly out?: string;
}

/** `decider batches from-cases`: the requests of a cases file as the lines of a batch. */
export const fromCases = (file: string, { model, format, out }: FromCasesOptions): Promise<void> =>
  reportError(async () => {
    checkFiles({ inputs: { 'the cases': file }, outputs: { out } });
    const { cases } = readCases(file, readBenchmark(format));
    const lines = Buffer.from(cases.map((each) => `${batchLine(each, model ?? null)}\n`).join(''));
    const refusal = await checkLines(lines);
    if (refusal !== null) {
      for (const { line, type, error } of refusal.lines) {
        const asked = cases[line - 1];
        printError(visible(`${file}:${asked?.line ?? line}: ${type}: ${error}`));
      }
      const remedy = refusal.lines.some(({ type }) => type === 'model_required') ? ' Give --model.' : '';
      throw new OperatorError(`${refusal.type}: ${refusal.message}${remedy}`);
    }
    if (out === undefined) process.stdout.write(lines);
    else writeReport('out', out, lines);
  });
