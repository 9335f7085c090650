export const NATIVE: string;
export const BUILD: string;
export type Backend = 'cuda' | 'vulkan' | 'metal' | 'cpu';
export const ADDON_COMMAND: string;
export const INSTALL_COMMANDS: Partial<Record<Backend, string>>;
export function platform(): { platform: string; supported: boolean; backends: Backend[] };
export function libraries(backend: Backend): string | null;
export function libraryFiles(folder: string): { llama: string; ggml: string; base: string };
export function addonFile(backend: Backend): string;
