import { asObject, asString, asStrings, type Json, type JsonObject } from '../json/tree';
import type { CredentialValues } from '../target';
import { isSource } from './tokens';

const EXAMPLE = '{"valid": "...", "invalid": "..."}';
const MEMBERS = ['valid', 'invalid', 'insufficient', 'command', 'clientCredentials'];
const SOURCES =
  '{"command": "..."} or {"clientCredentials": {"tokenUrl": "...", "clientId": "...", "clientSecret": "...", "scope": "..."}}';

/**
 * The credentials of a JSON file: by the name of the security scheme, an object with `valid` and `invalid`, and
 * `insufficient` for those that lack scopes. A scheme `http basic` takes `user:password`. Where a source of tokens stands in the
 * place of `valid`, this is empty here.
 *
 * @throws {Error} with everything that is wrong
 */
export function readCredentials(json: Json, schemes: readonly string[]): Record<string, CredentialValues> {
  if (json === null || typeof json !== 'object' || Array.isArray(json))
    throw new Error(`credentials: expected an object such as {"${schemes[0] ?? 'scheme'}": ${EXAMPLE}}`);
  const problems = Object.entries(json).flatMap(([name, values]) =>
    schemes.includes(name)
      ? valueProblems(asObject(values)).map((problem) => `credentials of ${name}: ${problem}`)
      : [`credentials: the document has no security scheme ${name}: ${knownSchemes(schemes)}`],
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return Object.fromEntries(
    Object.entries(json).map(([name, values]) => [name, toCredentials(asObject(values))]),
  );
}

const knownSchemes = (schemes: readonly string[]): string =>
  schemes.length > 0 ? `it has ${schemes.join(', ')}` : 'it has none at all';

const isText = (value: Json | undefined): boolean => typeof value === 'string' && value !== '';

/** Whether a source has what it takes to get a token: a command, or a client with parameters of the request for a token. */
function isSound({ command, clientCredentials }: JsonObject): boolean {
  const { tokenUrl, ...texts } = asObject(clientCredentials);
  if (clientCredentials === undefined) return isText(command);
  const isUrl = /^https?:/.test(asString(tokenUrl)) && URL.canParse(asString(tokenUrl));
  const isClient = isText(texts['clientId']) && isText(texts['clientSecret']);
  return command === undefined && isUrl && isClient && Object.values(texts).every(isText);
}

function valueProblems(values: JsonObject): string[] {
  const { valid, invalid, insufficient = [] } = values;
  const isList = Array.isArray(insufficient) && insufficient.every(isText);
  const isFetched = isSource(values) && valid === undefined && isSound(values);
  return [
    ...(isFetched || (isText(valid) && isText(invalid) && !isSource(values))
      ? []
      : [`expected ${EXAMPLE}, two texts, or ${SOURCES}`]),
    ...(isText(valid) && valid === invalid ? ['expected `invalid` to differ from `valid`'] : []),
    ...(isList ? [] : ['expected `insufficient` to be a list of texts']),
    ...Object.keys(values)
      .filter((name) => !MEMBERS.includes(name))
      .map((name) => `expected no member ${name}`),
  ];
}

function toCredentials({ valid, invalid, insufficient }: JsonObject): CredentialValues {
  return {
    valid: asString(valid),
    // Other faults of a token are made of the valid one.
    invalid: asString(invalid) || 'an-invalid-token',
    ...(insufficient !== undefined && { insufficient: () => asStrings(insufficient) }),
  };
}
