import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { SingleBar } from 'cli-progress';
import { shellWord, systemClock, visible } from '../base/index.js';
import {
  Catalog,
  filesOf,
  MANIFEST_FILE,
  ModelError,
  type NewBuild,
  readManifest,
  verifyChecksum,
} from '../engine/index.js';
import {
  downloadSelection,
  HubConnection,
  type HubContext,
  hubSettings,
  type PullProgress,
  parseReference,
  type Selection,
  select,
} from '../hub/index.js';
import { checkTotalMemory } from '../server/index.js';
import { loadSettings } from '../settings/index.js';
import { install, planInstall } from './install-model.js';
import { buildWith, type ModelOptions, newBuild } from './model-options.js';
import { printError, reportError } from './output.js';
import { ownModels } from './own-models.js';
import { progressBar } from './progress-bar.js';
import { INTERRUPTED, onStopSignals } from './signals.js';

/** `decider models pull` */
export function pullModel(text: string, options: ModelOptions): Promise<void> {
  return reportError(async () => {
    const reference = parseReference(text);
    const settings = loadSettings(process.env, options.config);
    const connection = hubSettings(process.env);
    // Wrong options are refused before anything is requested.
    newBuild(
      options,
      { fileName: 'model', released: null, description: 'model' },
      settings,
      systemClock.now(),
    );
    const folder = ownModels(settings);
    const stop = new AbortController();
    const progress = await DownloadProgress.create();
    endOnSignal(stop, progress, text);
    const hub = new HubConnection(connection, stop.signal);
    const context = { hub, signal: stop.signal, notice: (sentence: string) => progress.note(sentence) };
    const selection = await select(reference, options.projector, context);
    checkTotalMemory(settings.engine, text, bytesOf(selection));
    const values = newBuild(options, factsOf(selection), settings, systemClock.now());
    const added = buildWith(values, selection.model, selection.projector);
    const intact = await isIntact(folder, added, context);
    if (!intact) await fetchFiles(folder, selection, context, progress);
    await hub.close();
    await install(
      folder,
      settings,
      { ...added, replacesPaths: !intact },
      {
        json: options.json,
        files: await leftovers(folder, selection),
        damaged: 'Other options may help: --profile, --projector none.',
        unequal:
          'Run the same command again: it downloads a damaged file again. If it repeats, check the disk.',
      },
    );
  });
}

/** Whether the manifest lists the build already, and its files, wherever they are, are complete. */
async function isIntact(folder: string, added: NewBuild, { signal, notice }: HubContext): Promise<boolean> {
  const { catalog, name, listed } = await planInstall(folder, added);
  const build = catalog.find(name);
  if (!listed || build === undefined) return false;
  try {
    await verifyChecksum(build, signal);
    return true;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    notice(`${error.message}; downloading the model again`);
    return false;
  }
}

async function fetchFiles(
  folder: string,
  selection: Selection,
  context: HubContext,
  progress: DownloadProgress,
): Promise<void> {
  try {
    await downloadSelection(selection, folder, context, (state) => progress.update(state), systemClock);
  } finally {
    progress.stop();
  }
}

const filesOfSelection = ({ model, projector }: Selection) =>
  projector === null ? [...model] : [...model, projector];

const bytesOf = (selection: Selection): number =>
  filesOfSelection(selection).reduce((sum, { size }) => sum + size, 0);

/** What becomes of the downloaded files that no build of the manifest uses; '' if there are none. */
async function leftovers(folder: string, selection: Selection): Promise<string> {
  const builds = existsSync(join(folder, MANIFEST_FILE))
    ? new Catalog(await readManifest(folder), folder).builds
    : [];
  const used = new Set(builds.flatMap((build) => filesOf(build).map(({ path }) => path)));
  const left = filesOfSelection(selection)
    .map(({ file }) => resolve(folder, file))
    .filter((path) => !used.has(path));
  return left.length === 0
    ? ''
    : `The downloaded files stay, so the same command need not download them again. If you do not want the model, delete ${left.join(', ')}.`;
}

function factsOf({ repository, quantization, model }: Selection) {
  const fileName = basename(model[0].path);
  const from = `hf:${repository.name}@${repository.commit.slice(0, 12)}`;
  return {
    fileName,
    released: repository.changed?.getTime() ?? null,
    description: `${repository.name.split('/')[1]}${quantization === null ? '' : `, ${quantization}`}, from ${from}.`,
  };
}

/** Ends the command at the first signal; what has been downloaded stays. */
function endOnSignal(stop: AbortController, progress: DownloadProgress, reference: string): void {
  const end = () => {
    stop.abort();
    progress.stop();
    printError(`Stopped. To continue: decider models pull ${shellWord(reference)}, with the same options`);
    process.exit(INTERRUPTED);
  };
  onStopSignals(end, end);
}

/** Without a terminal, one line per this many milliseconds. */
const LINE_EVERY_MS = 10_000;

/** Shows a download on standard error: a bar if that is a terminal, otherwise a line every ten seconds. */
class DownloadProgress {
  private running = false;
  private shownAt = systemClock.monotonic();

  private constructor(private readonly bar: SingleBar) {}

  static async create(): Promise<DownloadProgress> {
    return new DownloadProgress(await progressBar('{bar} {text}'));
  }

  update(state: PullProgress): void {
    if (!process.stderr.isTTY) {
      const now = systemClock.monotonic();
      if (now - this.shownAt < LINE_EVERY_MS) return;
      this.shownAt = now;
      printError(String(state));
      return;
    }
    if (!this.running) this.bar.start(state.total, state.done, { text: '' });
    this.running = true;
    this.bar.update(state.done, { text: visible(String(state)) });
  }

  /** Prints a sentence in place of the bar, which comes back with the next update. */
  note(sentence: string): void {
    this.stop();
    printError(sentence);
  }

  stop(): void {
    if (this.running) this.bar.stop();
    this.running = false;
  }
}
