/** A control group of this process. */
export interface ControlGroup {
  readonly version: 1 | 2;
  /** Where the kernel shows its files. */
  readonly folder: string;
}

/** The control groups of this process for a controller (`cpu`, `memory`, `pids`). `root` replaces that of the file system. */
export function controlGroups(controller: string, root?: string): ControlGroup[];

/** A file of a control group; '' if it does not exist. */
export function readGroupFile(group: ControlGroup, name: string): string;

/** The cores that this process can use: those it may run on, or fewer if a control group has a CPU quota. */
export function usableCores(root?: string, cores?: number): number;
