import { asObject, asString, asStrings, type Json, type JsonObject } from '../json/tree';
import type { CredentialValues } from '../target';

const EXAMPLE = '{"valid": "...", "invalid": "..."}';

/**
 * The credentials of a JSON file: by the name of the security scheme, an object with `valid` and `invalid`, and
 * `insufficient` for those that lack scopes. A scheme `http basic` takes `user:password`.
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

function valueProblems({ valid, invalid, insufficient = [], ...others }: JsonObject): string[] {
  const isText = (value: Json | undefined): boolean => typeof value === 'string' && value !== '';
  const isList = Array.isArray(insufficient) && insufficient.every(isText);
  return [
    ...(isText(valid) && isText(invalid) ? [] : [`expected ${EXAMPLE}, two texts`]),
    ...(isText(valid) && valid === invalid ? ['expected `invalid` to differ from `valid`'] : []),
    ...(isList ? [] : ['expected `insufficient` to be a list of texts']),
    ...Object.keys(others).map((name) => `expected no member ${name}`),
  ];
}

function toCredentials({ valid, invalid, insufficient }: JsonObject): CredentialValues {
  return {
    valid: asString(valid),
    invalid: asString(invalid),
    ...(insufficient !== undefined && { insufficient: () => asStrings(insufficient) }),
  };
}
