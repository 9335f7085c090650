export { changedSettings } from './changes.js';
export { engineThreads } from './cores.js';
export { DEFAULT_PRICES } from './prices.js';
export { listSettings, SettingsError } from './read.js';
export { serviceLinksNotice } from './service-links.js';
export { EMBEDDED_MODELS, loadSettings, SETTINGS, type Settings, settingsReader } from './settings.js';
export { showSettings } from './show.js';
