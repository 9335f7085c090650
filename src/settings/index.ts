export { changedSettings } from './changes.js';
export { engineThreads } from './engine-threads.js';
export { openSecrets } from './open-secrets.js';
export { DEFAULT_PRICES } from './prices.js';
export { configFile, listSettings, SettingsError } from './read-settings.js';
export { serviceLinksNotice } from './service-links.js';
export {
  defaultFolders,
  EMBEDDED_MODELS,
  loadSettings,
  OPERATOR_TOKEN,
  SETTINGS,
  type Settings,
  settingsReader,
} from './settings.js';
export { showSettings } from './show-settings.js';
export { inWorkingFolder } from './working-folder.js';
