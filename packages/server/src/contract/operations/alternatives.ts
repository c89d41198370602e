import {
  joinPointer,
  type JsonObject,
  members,
  type OpenApiDocument,
  type Place,
} from '../document/document';
import { scopeFaults } from './declared-scopes';

/** A Security Requirement Object (OpenAPI 3.1 section 4.8.30): all of its schemes are required. Empty: anonymous. */
export type SecurityAlternative = readonly { readonly scheme: string; readonly scopes: readonly string[] }[];

/** How a client presents the credentials of a security scheme: as a bearer token, as user and password, or as an API key. */
export type SchemeKind = 'bearer' | 'basic' | 'apiKey';

/** The kind of a Security Scheme Object (OpenAPI 3.1 section 4.8.27); undefined if it cannot be served. */
export function schemeKind({ type, scheme }: JsonObject): SchemeKind | undefined {
  if (type === 'apiKey') return type;
  if (type === 'oauth2' || type === 'openIdConnect') return 'bearer';
  const name = type === 'http' ? String(scheme).toLowerCase() : ''; // RFC 9110 section 11.1
  return name === 'bearer' || name === 'basic' ? name : undefined;
}

/** The Security Scheme Object of a name. */
export const schemeAt = (document: OpenApiDocument, name: string): Place =>
  document.follow(joinPointer('/components/securitySchemes', name));

/** The `keyword` of a remark about an alternative that is not served. */
export const UNSERVED_ALTERNATIVE = 'Operation security';

/** What prevents an alternative from being served, with its place. */
interface Fault {
  readonly pointer: string;
  readonly message: string;
}

/**
 * Reads the alternatives at `pointer`. One that cannot be served is a remark where another one can: its credentials let
 * nobody in. Where none can be served, each fault is a finding.
 */
export function readAlternatives(document: OpenApiDocument, pointer: string): SecurityAlternative[] {
  const read = [document.at(pointer) ?? []].flat().map((requirement, i) => {
    const place = joinPointer(pointer, i);
    const alternative = members(requirement).map(([name, scopes]) => ({
      name,
      scheme: document.references.scheme(name),
      scopes: [scopes].flat().map(String),
    }));
    return {
      place,
      schemes: alternative.map(({ name, scheme = name, scopes }) => ({ scheme, scopes })),
      faults: [
        ...alternative.flatMap(({ name, scheme, scopes }) => {
          const at = joinPointer(place, name);
          if (scheme === undefined)
            return [{ pointer: at, message: 'is not among components.securitySchemes' }];
          const { pointer: component, value } = schemeAt(document, scheme);
          const unknown = { pointer: component, message: 'this kind of security scheme cannot be served' };
          const messages = scopeFaults(document, scheme, scopes);
          return [
            ...(schemeKind(value) ? [] : [unknown]),
            ...messages.map((message) => ({ pointer: at, message })),
          ];
        }),
        ...faultTogether(
          document,
          place,
          alternative.map(({ scheme = '' }) => scheme),
        ),
      ],
    };
  });
  const served = read.filter(({ faults }) => faults.length === 0);
  if (served.length === 0) {
    for (const fault of read.flatMap(({ faults }) => faults))
      document.addFinding(fault.pointer, fault.message);
    return read.map(({ schemes }) => schemes);
  }
  for (const { place, faults } of read) {
    if (faults.length === 0) continue;
    const reasons = faults.map((fault) => `#${fault.pointer}: ${fault.message}`).join('; ');
    const message = `is not served: no request is accepted by its credentials, only by those of another alternative (${reasons})`;
    document.addRemark({ pointer: place, message, keyword: UNSERVED_ALTERNATIVE });
  }
  return served.map(({ schemes }) => schemes);
}

/** Schemes that no request satisfies together, because each needs the only Authorization field of a request. */
function faultTogether(document: OpenApiDocument, pointer: string, schemes: readonly string[]): Fault[] {
  const named = (kind: SchemeKind) =>
    schemes.find((scheme) => schemeKind(schemeAt(document, scheme).value) === kind);
  const [bearer, basic] = [named('bearer'), named('basic')];
  if (bearer === undefined || basic === undefined) return [];
  const message = `requires ${bearer} and ${basic} together, which no request can satisfy: it has one Authorization field (RFC 9110 section 11.6.2)`;
  return [{ pointer, message }];
}
