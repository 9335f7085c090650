// Runs several test files in one process, one after the other. TEST_FILES has their paths, as a JSON array: as
// arguments they would be part of the name of every folder that tap makes for a test.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import tap from 'tap';

const files: readonly string[] = JSON.parse(process.env.TEST_FILES ?? '[]');
// The files' tests wait for this one, and then run in the order of the files.
void tap.test('import the files', async () => {
  for (const file of files) {
    void tap.test(file, async () => {});
    await import(pathToFileURL(resolve(file)).href);
  }
});
