import { joinPointer, members, type OpenApiDocument } from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { essenceOf } from './decisions';
import type { ReportChange } from './schema-changes';

type Side = readonly [document: OpenApiDocument, operation: Operation];

/** A client that met one alternative before must still meet one. */
export function compareSecurity(was: Side, is: Side, report: ReportChange): void {
  const demands = ([document, { security }]: Side) =>
    (security.length > 0 ? security : [[]]).map(
      (alternative) =>
        new Set(
          alternative.flatMap(({ scheme, scopes }) => {
            const credentials = credentialsOf(document, scheme, was[0]);
            return [credentials, ...scopes.map((scope) => `${credentials} with the scope ${scope}`)];
          }),
        ),
    );
  const [old, now] = [demands(was), demands(is)];
  const [after, { method, paths, pointer: place }] = is;
  const own = joinPointer(place, 'security');
  const pointer = after.at(own) ? own : '/security';
  const unmet = (have: readonly Set<string>[], want: readonly Set<string>[]) =>
    have.filter((held) => !want.some((demanded) => [...demanded].every((one) => held.has(one))));
  // Credentials with a scope are named once.
  const name = (set: Set<string>) =>
    [...set].filter((one) => ![...set].some((other) => other.startsWith(`${one} with the scope `)));
  const requests = (set: Set<string>) =>
    set.size === 0 ? 'requests without credentials' : `requests with ${name(set).join(' and ')} alone`;
  const operation = `${method} ${paths[0] ?? ''}`;
  for (const set of unmet(old, now)) report(pointer, `${operation}: ${requests(set)} are refused now`, true);
  for (const set of unmet(now, old))
    report(pointer, `${operation}: ${requests(set)} are admitted now`, false);
}

const SCHEMES = '/components/securitySchemes';

/** The credentials that a client sends for a security scheme. The name of the scheme does not matter to a client. */
function credentialsOf(document: OpenApiDocument, scheme: string, before: OpenApiDocument): string {
  const { value } = document.follow(joinPointer(SCHEMES, scheme));
  if (value['type'] === 'http') return `HTTP ${String(value['scheme']).toLowerCase()} credentials`;
  if (value['type'] === 'apiKey') return `the API key ${String(value['name'])} in the ${String(value['in'])}`;
  // The earlier document may have the same scheme under another name, and another one under this name.
  const essence = (of: OpenApiDocument, name: string) =>
    essenceOf('SecurityScheme', of.follow(joinPointer(SCHEMES, name)).value);
  const names = [scheme, ...members(before.at(SCHEMES)).map(([name]) => name)];
  const known = names.find((name) => essence(before, name) === essence(document, scheme)) ?? scheme;
  return `${String(value['type'])} credentials (${known})`;
}
