import { fstatSync, writeFileSync } from 'node:fs';

/**
 * For a whole process: an output that could not be written ends it with status 1 and one line, except that a reader such as
 * `head` may close standard output early. Standard error may fail: what a command does is more than its messages.
 */
export function watchStandardOutput(): void {
  const { stdout, stderr } = process;
  if (isFile(stdout.fd)) writeWhole(stdout.fd);
  stderr.on('error', () => {});
  let failure: Error | null = null;
  stdout.on('error', (error) => {
    // Another failure ends no command, which may be changing something.
    if (isClosed(error)) process.exit();
    failure ??= error;
  });
  process.once('exit', () => {
    // A command may have ended the process before the event.
    const error = failure ?? stdout.errored;
    if (error === null || isClosed(error)) return;
    stderr.write(
      `standard output: ${error.message}. The output is incomplete; what the command has changed stays changed.\n`,
    );
    process.exitCode = 1;
  });
}

const isClosed = (error: Error): boolean => (error as NodeJS.ErrnoException).code === 'EPIPE';

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/** Node's stream to a file writes once, and loses the rest of what fits only in part, as on a full disk. */
function writeWhole(descriptor: number): void {
  process.stdout._write = (chunk: Buffer, _encoding, done) => {
    try {
      writeFileSync(descriptor, chunk);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  };
}
