import type { Caller, Charge, Price } from '../access/index.js';
import { entryFile, type Owner } from '../base/index.js';
import type { AskedTask, DecideDependencies, Decision } from '../decide/index.js';
import type { Engine } from '../engine/index.js';
import type { Task, TaskAnswer } from '../tasks/index.js';
import type { BatchTerms } from './batch-object.js';
import type { LineTask } from './ingest/chunks.js';
import type { DigestResult } from './ingest/digest-file.js';
import type { FileTask } from './ingest/file-tasks.js';
import type { IngestResult, IngestTask } from './ingest/ingest.js';
import type { SentFile } from './ingest/rooms.js';
import type { FinishedBatch } from './webhook/call-webhook.js';
import type { WebhookOutcome } from './webhook/webhook-outcome.js';

/** The models that one line uses, from its preparation to its answer. */
interface ModelsOfLine extends Pick<DecideDependencies, 'prepare' | 'engine'> {
  /** The charge for a line that a build answers, at the prices of now. */
  chargeOf(build: string, inputTokens: number): Charge;
}

/** The models as batches use them. A line names a model or a build. They may change while the server runs. */
export interface LineEngines {
  /** Passes the models of now to `work`, for which they stay loaded until it has ended. */
  use<Result>(work: (models: ModelsOfLine) => Promise<Result>): Promise<Result>;
  /** The engine of a model or build; undefined if it is not loaded. */
  engine(model: string): Pick<Engine, 'wantsBatch' | 'workingLanes'> | undefined;
  /** Whether there is such a model or build now. A start may lack one that open batches name. */
  knows(model: string): boolean;
  /** Says which lines are being prepared now, by their labels. */
  notePreparing(labels: readonly string[]): void;
  /**
   * Whether a workspace that is restricted to the models `allowed` may use this one. Null: no restriction. Not known of a
   * model that `knows` denies: `allowed` may name it by another of its ids.
   */
  mayUse(model: string, allowed: readonly string[] | null): boolean;
  priceOf(model: string): Price;
}

/** The module that reads batch files on threads of its own. The server owns their pool. */
export const ingestThread = () => entryFile('batch/ingest/ingest-thread');

/** A task that a line asks, and what the line lacks of it. */
export interface TaskOfLine {
  readonly task: Task;
  readonly asked: Omit<AskedTask, 'model'>;
}

/** An answer to a task that is to be kept. */
export interface LineAnswer {
  readonly task: Task;
  readonly answer: TaskAnswer;
}

/** The tasks as batches use them. */
export interface BatchTasks {
  /**
   * The tasks of a workspace that a file names, to check it. Keys take turns. Rejects with ApiError `body_too_large` if
   * their questions are more than a batch may name, `overloaded`, and with the signal's reason if it aborts.
   *
   * @param names null: all tasks
   */
  named(owner: Owner, names: readonly string[] | null, signal: AbortSignal): Promise<readonly FileTask[]>;
  /** What a line lacks; null: its task was deleted. Rejects with ApiError, StoreError. */
  ask(workspace: string, asked: LineTask): Promise<TaskOfLine | null>;
  /** Keeps an answer, some time later. Never throws. */
  keep(answer: LineAnswer): void;
}

/**
 * Processes uploaded files on another thread. Keys take turns. Rejects with the signal's reason if it aborts while the file
 * waits for a turn.
 */
export interface FileThread {
  /**
   * Rejects with TasksWanted if the file names tasks, and those of the task are null. A result is returned although the
   * signal has aborted meanwhile, because its block has to be freed.
   */
  ingest(task: IngestTask, signal: AbortSignal): Promise<IngestResult>;
  digest(task: SentFile, caller: Caller, signal: AbortSignal): Promise<DigestResult>;
}

export interface Webhooks {
  /** Rejects with ApiError `invalid_webhook_url`. */
  check(address: string): Promise<void>;
  /** Makes one attempt. Never rejects. */
  call(address: string, event: FinishedBatch): Promise<WebhookOutcome>;
}

/** Log entries and metrics of batches. */
export interface BatchReports {
  /** A damaged value, a fault of the engine, a full disk. `batch`: an id, or `-` if no single batch is concerned. */
  error(error: unknown, batch: string): void;
  answered(decision: Decision): void;
  /** A line was refused or given up. */
  failed(): void;
  /** An attempt to call the webhook of a batch has ended. `again`: a further one follows. */
  called(batch: string, outcome: WebhookOutcome, again: boolean): void;
}

/** What batches need from the rest of the program, besides the place where they are stored. */
export interface BatchParts {
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly engines: LineEngines;
  readonly tasks: BatchTasks;
  readonly files: FileThread;
  readonly webhooks: Webhooks;
  readonly reports: BatchReports;
  /** Bytes of stored batches beyond which new ones are refused. May change. */
  storedBytesMax(): number;
  /** The percentage of these bytes that one workspace may take. */
  workspacePercent(): number;
  readonly terms: BatchTerms;
}
