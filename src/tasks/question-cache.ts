/** Bytes of questions that are kept. */
export const CACHE_BYTES_MAX = 16 * 1024 * 1024;

/** The questions of versions that requests have used, which never change. The least recently used are dropped. */
export class QuestionCache {
  private readonly found = new Map<string, string>();
  private bytes = 0;

  /** Undefined: the version must be read. */
  get(task: string, version: number): string | undefined {
    const key = `${task}/${version}`;
    const questions = this.found.get(key);
    if (questions === undefined) return undefined;
    this.found.delete(key);
    this.found.set(key, questions);
    return questions;
  }

  put(task: string, version: number, questions: string): void {
    const key = `${task}/${version}`;
    if (this.found.has(key)) return;
    this.found.set(key, questions);
    this.bytes += sizeOf(questions);
    for (const [oldest, dropped] of this.found) {
      if (this.bytes <= CACHE_BYTES_MAX) return;
      this.drop(oldest, dropped);
    }
  }

  /** Drops the questions of all versions of a task. */
  forget(task: string): void {
    for (const [key, questions] of this.found) if (key.startsWith(`${task}/`)) this.drop(key, questions);
  }

  private drop(key: string, questions: string): void {
    this.found.delete(key);
    this.bytes -= sizeOf(questions);
  }
}

/** Bytes that a string may take in memory. */
const sizeOf = (text: string) => 2 * text.length;
