/**
 * A client of OpenAI's interface. They are imported by name, so that the other tests also compile where `npm ci` has not
 * installed them yet. Throws where it is missing.
 */
// biome-ignore lint/suspicious/noExplicitAny: the types of a package that may be missing
export const clientPackage = async (name: 'openai' | '@ai-sdk/openai'): Promise<any> => import(String(name));
