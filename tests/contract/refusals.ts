import { ERROR_NUMBERS } from '../../src/errors';
import type { Refusal, RefusalRule } from './engine/target';

/** Most bytes of a request body to a server under test. */
export const BODY_LIMIT = 65_536;

export const refusal = (kind: keyof typeof ERROR_NUMBERS): RefusalRule => ({
  status: Math.floor(ERROR_NUMBERS[kind] / 100),
  body: { error: ERROR_NUMBERS[kind] },
});

/** The status and number of each refusal of this server, whatever document it serves. */
export const REFUSALS: Readonly<Record<Refusal, RefusalRule>> = {
  'unknown path': refusal('noSuchPath'),
  'unknown method': refusal('noSuchMethod'),
  'no credentials': refusal('noCredentials'),
  'bad credentials': refusal('badCredentials'),
  'unsupported media type': refusal('unsupportedMediaType'),
  'too large': refusal('tooLarge'),
  malformed: refusal('malformed'),
  mismatch: refusal('mismatch'),
};
