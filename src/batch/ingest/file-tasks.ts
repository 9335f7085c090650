import { LIMITS } from '../../api/index.js';
import { type Question, readStoredQuestions } from '../../decide/index.js';
import type { Catalog, CatalogBuild } from '../../engine/index.js';
import { isTaskName, taskNotFound } from '../../tasks/index.js';
import type { LineTask } from './chunks.js';
import { Refusal } from './cut-file.js';

/** A task that lines of a file name: its version in use. */
export interface FileTask extends LineTask {
  /** The id of a model or build; null: the default model. */
  readonly model: string | null;
  /** As JSON. */
  readonly questions: string;
}

/** A task, as far as its lines are checked by it. */
export interface OpenTask {
  readonly asked: LineTask;
  /** The id of the model or build that answers. */
  readonly model: string;
  /** Null: they are not known here. */
  readonly questions: readonly Question[] | null;
  /** Bytes of the questions, as JSON. */
  readonly bytes: number;
}

/** A line names a task, and the tasks have not been read yet. */
export class TasksUnread extends Error {
  override readonly name = 'TasksUnread';
}

/** The tasks that lines of a file may name. */
export class FileTasks {
  private readonly open = new Map<string, OpenTask>();

  /**
   * @param tasks null: they have not been read yet
   * @param searched one number, shared by all threads that check the file: the bytes of questions that were searched
   */
  constructor(
    private readonly tasks: readonly FileTask[] | null,
    private readonly catalog: Pick<Catalog, 'find'>,
    private readonly searched: Int32Array = new Int32Array(1),
  ) {}

  /** Throws ApiError `task_not_found`, TasksUnread. Each task is read once: many lines name it. */
  find(name: string): OpenTask {
    if (!isTaskName(name)) throw taskNotFound();
    if (this.tasks === null) throw new TasksUnread();
    const known = this.open.get(name);
    if (known !== undefined) return known;
    const task = this.tasks.find((each) => each.name === name);
    if (task === undefined) throw taskNotFound();
    const { id, version, model, questions } = task;
    const opened: OpenTask = {
      asked: { id, name, version },
      model: model ?? defaultModel(this.catalog),
      questions: readStoredQuestions(questions),
      bytes: Buffer.byteLength(questions),
    };
    this.open.set(name, opened);
    return opened;
  }

  /** Counts the questions of a task that were searched for images. Throws Refusal if those of all lines are too many. */
  noteSearch({ bytes }: OpenTask): void {
    if (Atomics.add(this.searched, 0, bytes) + bytes > LIMITS.batchSearchedBytes) throw tooManySearched();
  }
}

/** The refusal of a file whose lines with images name tasks with too many questions. */
export const tooManySearched = () =>
  new Refusal(
    'body_too_large',
    `The questions of the tasks that lines with images name have more than ${LIMITS.batchSearchedBytes} bytes, counted for each line. Split the file.`,
  );

/** Tasks of any name, with unknown questions: for files that are checked without their server. */
export const ANY_TASK: Pick<FileTasks, 'find' | 'noteSearch'> = {
  find: (name) => {
    if (!isTaskName(name)) throw taskNotFound();
    return { asked: { id: '', name, version: 1 }, model: '', questions: null, bytes: 0 };
  },
  noteSearch: () => {},
};

/** The id of the default model, or of its build if the model has a newer one. */
function defaultModel(catalog: Pick<Catalog, 'find'>): string {
  const build = catalog.find(null) as CatalogBuild;
  return catalog.find(build.model.id)?.id === build.id ? build.model.id : build.id;
}
