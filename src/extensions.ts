import type { Extensions } from './contract';

/**
 * Formats and codecs of this service's own. The server enforces them; `make generate` and `make mock` know them from here.
 *
 *     formats: { color: (text) => /^#[0-9a-f]{6}$/.test(text) },
 */
export const extensions: Extensions = { formats: {}, codecs: [] };
