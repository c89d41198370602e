import type { Extensions } from 'contract-first-server';

/**
 * Formats and codecs of this service. The server, `make generate` and `make mock` use them. `make dev` reads them once,
 * when it starts.
 *
 *     formats: { color: (text) => /^#[0-9a-f]{6}$/.test(text) },
 */
export const extensions: Extensions = { formats: {}, codecs: [] };
