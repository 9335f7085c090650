import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { type FileLine, patientFetch, splitLines, visible, withoutByteOrderMark } from '../base/index.js';
import { type Decider, DeciderError, hasState, type StoredLabels, type TaskCalls } from '../client/index.js';
import { readWholeBetween } from './arguments.js';
import { print, printError, printJson } from './output.js';
import { progressBar } from './progress-bar.js';
import { type ClientOptions, explainInterrupt, fail, printLineErrors, withClient } from './with-client.js';

/** Invalid lines that are printed. */
const FAULTS_SHOWN = 100;

interface LabelOptions extends ClientOptions {
  /** The first line that is sent. */
  readonly from: string;
}

/** What may have become of the labels of a call whose response did not arrive. `lines`: those that are sent, which are JSON. */
function doubtOf(lines: readonly FileLine[]): string {
  const haveState = lines.some(({ bytes }) => hasState(JSON.parse(bytes.toString())));
  return haveState
    ? 'The labels may be stored. Sent again, those with a state are charged again; each counts once.'
    : 'The labels may be stored. Sent again, each counts once.';
}

/** Sends labels, and says where to go on if a call fails. */
async function send(
  tasks: TaskCalls,
  name: string,
  file: string,
  lines: readonly FileLine[],
): Promise<StoredLabels> {
  const bar = await progressBar('{bar} {value}/{total} labels, {eta_formatted} left');
  bar.start(lines.length, 0);
  let stored = 0;
  const again = () => {
    if (stored === 0) return null;
    const last = numberOf(lines, stored);
    return `Lines up to ${last} of ${visible(file)} are stored. To go on, repeat the command with --from ${last + 1}.`;
  };
  explainInterrupt(again);
  const onProgress = (progress: StoredLabels) => {
    stored = progress.lines;
    bar.update(stored);
  };
  try {
    const texts = lines.map(({ bytes }) => bytes.toString());
    return await tasks.labelLines(name, texts, { onProgress });
  } catch (error) {
    bar.stop();
    const faults = error instanceof DeciderError ? error.lines : [];
    printLineErrors(
      file,
      faults.map((each) => ({ ...each, line: numberOf(lines, each.line) })),
    );
    const explained = again();
    if (explained !== null) printError(explained);
    throw error;
  } finally {
    bar.stop();
  }
}

/**
 * `decider tasks labels`: checks all lines first, so that a mistake stores and charges nothing. Says after an interruption
 * how to go on.
 */
export const labels = (name: string, file: string | undefined, options: LabelOptions) => {
  let sent: readonly FileLine[] = [];
  const work = async ({ tasks }: Decider) => {
    const from = readWholeBetween('from', options.from, 1, Number.MAX_SAFE_INTEGER);
    const bytes = file === undefined ? await buffer(process.stdin) : readFileSync(file);
    const shown = file ?? 'standard input';
    const all = splitLines(withoutByteOrderMark(bytes));
    const lines = [...all].filter(({ number }) => number >= from);
    if (lines.length === 0) fail(`file: ${shown} has no lines${from > 1 ? ` from line ${from} on` : ''}.`);
    await requireValid(shown, lines, (await tasks.show(name)).questions);
    sent = lines;
    printStored(await send(tasks, name, shown, lines), options);
  };
  return withClient(options, () => (sent.length === 0 ? null : doubtOf(sent)), work, patientFetch);
};

/** The number in the file of the line at a place, from 1, among those that are sent. */
const numberOf = (lines: readonly FileLine[], place: number): number => lines[place - 1]?.number ?? place;

/** Ends the command if lines are invalid, as far as that can be known without the server. */
async function requireValid(
  file: string,
  lines: readonly FileLine[],
  questions: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { checkLabels } = await import('../tasks/index.js');
  const faults = checkLabels(lines, JSON.stringify(questions));
  if (faults.length === 0) return;
  printLineErrors(file, faults.slice(0, FAULTS_SHOWN));
  fail(`invalid_labels: ${faults.length} of ${lines.length} lines are invalid; none was sent.`);
}

function printStored(stored: StoredLabels, { json }: ClientOptions): void {
  if (json) printJson(stored);
  else print(`${stored.lines} labels are stored. ${stored.task.name} has ${stored.labels} labelled answers.`);
}
