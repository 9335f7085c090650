import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

interface DropZoneProps {
  readonly label: string;
  readonly accept: string;
  readonly multiple?: boolean;
  readonly onFiles: (files: File[]) => void;
  readonly children?: ComponentChildren;
}

/** A place to drop files on, and a button that opens the file dialog. */
export function DropZone({ label, accept, multiple = false, onFiles, children }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const all = [...(files ?? [])];
    if (all.length > 0) onFiles(multiple ? all : all.slice(0, 1));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same with a keyboard
    <div
      class={over ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <button type="button" onClick={() => input.current?.click()}>
        {label}
      </button>
      <span class="muted">{children}</span>
      <input
        ref={input}
        type="file"
        class="hidden"
        tabIndex={-1}
        aria-hidden="true"
        accept={accept}
        multiple={multiple}
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          currentTarget.value = '';
        }}
      />
    </div>
  );
}
