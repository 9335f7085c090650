import type { Locator } from 'playwright-core';

/** A file that a test drops on the page. */
export interface DroppedFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Drops files on an element, as from the desktop. */
export async function dropFiles(target: Locator, files: readonly DroppedFile[]): Promise<void> {
  const sent = files.map(({ name, type, bytes }) => ({
    name,
    type,
    base64: Buffer.from(bytes).toString('base64'),
  }));
  const dataTransfer = await target.page().evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const { name, type, base64 } of ${JSON.stringify(sent)}) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      transfer.items.add(new File([bytes], name, { type }));
    }
    return transfer;
  })()`);
  await target.dispatchEvent('dragover', { dataTransfer });
  await target.dispatchEvent('drop', { dataTransfer });
}
