import { InvalidConfig, type Variables } from '../config';
import { type Discovered, discoveryFault, urlFault } from './discovery';

/** An issuer of JWTs, as the environment and the document name it. */
export interface JwtIssuer {
  /** The issuer's name for this service. */
  readonly audience: string;
  /** Where its name and its keys (RFC 7517) are. */
  readonly source: { readonly discoveryUrl: string } | { readonly jwksUrl: URL; readonly issuer: string };
}

/** An issuer as the environment names it: `source` is undefined if it is for the document to say. */
export type ConfiguredIssuer = Pick<JwtIssuer, 'audience'> & {
  readonly source: JwtIssuer['source'] | undefined;
};

/** The variables of an issuer, without their beginning. */
export const ISSUER_VARIABLES = ['DISCOVERY_URL', 'JWKS_URL', 'ISSUER', 'AUDIENCE'] as const;

/**
 * Reads the variables of an issuer, such as `${prefix}_AUDIENCE`. Notes faults in `variables`.
 *
 * @returns undefined if all are unset
 */
export function readIssuer(variables: Variables, prefix: string): ConfiguredIssuer | undefined {
  const [discovery, ...fixed] = ISSUER_VARIABLES.map((name) => `${prefix}_${name}`) as [string, ...string[]];
  const [jwks = '', name = '', audience = ''] = fixed;
  const discoveryUrl = variables.read(discovery);
  const isFixed = [jwks, name].some((each) => variables.read(each) !== '');
  const before = variables.wrong.length;
  const expect = (variable: string, fault: ReturnType<typeof urlFault>) => {
    if (fault) variables.expected(variable, ...fault);
  };
  if (isFixed) {
    for (const each of fixed.filter((one) => variables.read(one) === ''))
      variables.wrong.push(`${each} is missing: ${fixed.join(', ')} belong together`);
    if (discoveryUrl !== '')
      variables.wrong.push(
        `${discovery} cannot be combined with ${jwks} and ${name}: unset it, or the other two`,
      );
    if (variables.read(jwks) !== '') expect(jwks, urlFault(variables.read(jwks)));
  } else if (discoveryUrl !== '') {
    if (variables.read(audience) === '')
      variables.wrong.push(`${audience} is missing: ${discovery} needs it`);
    expect(discovery, discoveryFault(discoveryUrl));
  } else if (variables.read(audience) === '') return undefined;
  if (variables.wrong.length > before) return undefined;
  const source = isFixed
    ? { jwksUrl: new URL(variables.read(jwks)), issuer: variables.read(name) }
    : discoveryUrl === ''
      ? undefined
      : { discoveryUrl };
  return { audience: variables.read(audience), source };
}

/** A security scheme of the type openIdConnect, and the beginning of the variables of its issuer. */
interface NamedIssuer {
  readonly name: string;
  readonly issuer: string;
  readonly pointer: string;
  /** Its `openIdConnectUrl`. */
  readonly url: string;
}

/**
 * Finds the source of each issuer: what the environment says, otherwise the `openIdConnectUrl` of its security scheme.
 *
 * @param issuers by the beginning of their variables
 * @throws {InvalidConfig} if neither names one that can be used
 */
export const locateIssuers = (
  issuers: ReadonlyMap<string, ConfiguredIssuer>,
  named: readonly NamedIssuer[],
): ReadonlyMap<string, JwtIssuer> =>
  new Map(
    [...issuers].map(([prefix, { audience, source }]) => [
      prefix,
      { audience, source: source ?? documentedSource(prefix, named) },
    ]),
  );

function documentedSource(prefix: string, named: readonly NamedIssuer[]): JwtIssuer['source'] {
  const own = named.filter(({ issuer }) => issuer === prefix);
  const [discoveryUrl = '', ...others] = new Set(own.map(({ url }) => url));
  if (own.length === 0 || others.length > 0)
    throw new InvalidConfig(
      `${prefix}_AUDIENCE is set, but the document names ${own.length === 0 ? 'no issuer' : 'several issuers'} by openIdConnectUrl: set ${prefix}_DISCOVERY_URL, or ${prefix}_JWKS_URL and ${prefix}_ISSUER`,
    );
  const [expected, got = JSON.stringify(discoveryUrl)] = discoveryFault(discoveryUrl) ?? [];
  if (expected === undefined) return { discoveryUrl };
  throw new InvalidConfig(
    `${own[0]?.pointer}/openIdConnectUrl: expected ${expected}, got ${got}; ${prefix}_DISCOVERY_URL overrides it`,
  );
}

/** How people log in on the documentation page by a security scheme of the type openIdConnect. */
export interface Login {
  /** The URL of the configuration of its issuer, which the page reads. */
  readonly discoveryUrl: string;
  /** The issuer's name for this service. */
  readonly audience: string;
  /** Where the page exchanges a code for a token; undefined while the issuer has not been discovered. */
  readonly tokenUrl: () => URL | undefined;
}

/** @param discovered by the beginning of the variables of the issuers */
export const loginsOf = (
  issuers: ReadonlyMap<string, JwtIssuer>,
  named: readonly NamedIssuer[],
  discovered: ReadonlyMap<string, Discovered>,
): ReadonlyMap<string, Login> =>
  new Map(
    named.flatMap(({ name, issuer }) => {
      const { source, audience } = issuers.get(issuer) ?? {};
      if (!source || audience === undefined || !('discoveryUrl' in source)) return [];
      const tokenUrl = () => discovered.get(issuer)?.tokenUrl;
      return [[name, { discoveryUrl: source.discoveryUrl, audience, tokenUrl }]];
    }),
  );
