import type { Extensions } from './contract';

/**
 * Formats and codecs of this service's own, for the server, `make generate` and `make mock`. `make dev` generates with those
 * that it found at its start.
 *
 *     formats: { color: (text) => /^#[0-9a-f]{6}$/.test(text) },
 */
export const extensions: Extensions = { formats: {}, codecs: [] };
