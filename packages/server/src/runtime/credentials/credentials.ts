import {
  InvalidContract,
  type PrincipalsFor,
  securitySchemes,
  strategyFor,
  type StrategyOf,
  type TokenOptions,
  type Verified,
} from '../../contract';
import { type OpenApiDocument, readOperations } from '../../contract/tools';
import type { Client } from './secrets';
import { InvalidConfig, type Variables } from '../config';
import {
  type ConfiguredIssuer,
  ISSUER_VARIABLES,
  locateIssuers,
  type Login,
  loginsOf,
  readIssuer,
} from './issuers';
import { type Discovered, issuerOf } from './discovery';
import { jwtVerifier } from './jwt';
import { readSecrets, type SecretSource, watchSecrets } from './secret-source';
import { madeUp, type Place } from '../process/place';
import {
  AcceptedSecrets,
  API_KEYS,
  BASIC_NAMES,
  BASIC_USERS,
  BEARER_TOKENS,
  type SecretForm,
} from './secrets';

/** The configuration of the verifier of a security scheme: the environment variables with its secrets. */
export interface Verifier extends TokenOptions {
  readonly kind: keyof typeof KINDS;
  /** The variable with the accepted secrets. `${secrets}_FILE` names a file with one a line, which may change. */
  readonly secrets: string;
  /** Whether users may have an empty password. */
  readonly emptyPasswords?: boolean;
  /** The variables of an issuer of JWTs begin with this: `${issuer}_AUDIENCE` and the others of `ISSUER_VARIABLES`. */
  readonly issuer?: string;
}

const KINDS = {
  bearer: { form: BEARER_TOKENS, verifier: 'bearerTokens' },
  apiKey: { form: API_KEYS, verifier: 'apiKeys' },
  basic: { form: BASIC_USERS, verifier: 'basicUsers' },
} as const satisfies Record<string, { form: SecretForm; verifier: string }>;

/** For schemes of the types http bearer, oauth2 and openIdConnect: fixed tokens, and JWTs of an issuer. */
export const bearerTokens = (variables: { readonly secrets: string; readonly issuer: string }): Verifier => ({
  kind: 'bearer',
  ...variables,
});

/** For schemes of the type apiKey, in a header, the query or a cookie; with a word before it in `Authorization: Token abc`. */
export const apiKeys = (variables: { readonly secrets: string } & TokenOptions): Verifier => ({
  kind: 'apiKey',
  ...variables,
});

/**
 * For schemes of the type http basic: users with their passwords. It is for few machine users with long random passwords:
 * the variable holds the passwords in plain text, and the memory of the server their SHA-256 digests, which do not protect
 * passwords that people choose. Verify those by a `BasicStrategy` with a store of your own.
 *
 * With `emptyPasswords` a user may be `name:`. The name is the secret then, as of clients that send an API key as their name.
 */
export const basicUsers = (options: {
  readonly secrets: string;
  readonly emptyPasswords?: boolean;
}): Verifier => ({ kind: 'basic', ...options });

/** What verifies a scheme: secrets of the environment, a passport strategy of the service, or one over its dependencies. */
type VerifierOf<P extends object, Dependencies> =
  Verifier | StrategyOf<P> | ((dependencies: Dependencies) => StrategyOf<P>);

/**
 * What verifies each security scheme of the document.
 *
 * @typeParam Dependencies what the functions among them take: those of src/dependencies.ts
 */
export type VerifiersFor<Security, Dependencies = unknown> = {
  readonly [Scheme in keyof PrincipalsFor<Security>]: VerifierOf<
    PrincipalsFor<Security>[Scheme],
    Dependencies
  >;
};

/** By the name of the security scheme. By default: of a service with any dependencies. */
export type Verifiers<Dependencies = never> = Readonly<Record<string, VerifierOf<object, Dependencies>>>;

/** The type of each scheme's principal, which a handler receives as `principal`. */
export type PrincipalsOf<V> = {
  readonly [Scheme in keyof V]: V[Scheme] extends Verifier
    ? Client
    : V[Scheme] extends StrategyOf<infer P> | ((dependencies: never) => StrategyOf<infer P>)
      ? P
      : never;
};

const isVerifier = (value: object): value is Verifier => 'kind' in value;

/** The configuration of the verifiers, read from the environment. */
export interface CredentialsConfig<V extends Verifiers = Verifiers> {
  readonly verifiers: V;
  /** By variable: several schemes may share one. */
  readonly sources: ReadonlyMap<string, SecretSource>;
  /** By the beginning of the names of their variables. */
  readonly issuers: ReadonlyMap<string, ConfiguredIssuer>;
  /** That of a worker, whose generated secrets are those of the others. */
  readonly place?: Place | undefined;
  /** No secret is generated. */
  readonly production: boolean;
}

/** The environment variables that the verifiers read. */
export const variablesOf = (verifiers: Verifiers): string[] => [
  ...new Set(
    Object.values(verifiers)
      .filter(isVerifier)
      .flatMap(({ secrets, issuer }) => [
        secrets,
        `${secrets}_FILE`,
        ...(issuer === undefined ? [] : ISSUER_VARIABLES.map((name) => `${issuer}_${name}`)),
      ]),
  ),
];

/**
 * Reads the secrets of every verifier. Notes faults in `variables`. Which of them the document needs if NODE_ENV is
 * `production`, `assertConfigured` says; otherwise `openCredentials` generates those that are not configured.
 */
export function readCredentials<V extends Verifiers>(
  verifiers: V,
  variables: Variables,
): CredentialsConfig<V> {
  const sources = new Map<string, SecretSource>();
  const issuers = new Map<string, ConfiguredIssuer>();
  const given = Object.values(verifiers).filter(isVerifier);
  for (const { kind, secrets, issuer } of given) {
    const sharing = given.filter((other) => other.secrets === secrets);
    const isNameEnough = kind === 'basic' && sharing.every(({ emptyPasswords }) => emptyPasswords === true);
    const form = isNameEnough ? BASIC_NAMES : KINDS[kind].form;
    if (!sources.has(secrets)) sources.set(secrets, readSecrets(variables, secrets, form));
    const read = issuer === undefined || issuers.has(issuer) ? undefined : readIssuer(variables, issuer);
    if (issuer !== undefined && read) issuers.set(issuer, read);
  }
  const production = variables.read('NODE_ENV') === 'production';
  return { verifiers, sources, issuers, place: variables.place, production };
}

const namesOf = ({ variable }: SecretSource): string => `${variable} or ${variable}_FILE`;

/** The security schemes that name their issuer, with the verifiers that accept its tokens. */
const namedIssuers = ({ verifiers }: Pick<CredentialsConfig, 'verifiers'>, document: OpenApiDocument) =>
  securitySchemes(document).flatMap(({ name, pointer, value }) => {
    const verifier = Object.hasOwn(verifiers, name) ? verifiers[name] : undefined;
    if (value['type'] !== 'openIdConnect' || !verifier || !isVerifier(verifier)) return [];
    const { issuer, secrets } = verifier;
    return issuer === undefined
      ? []
      : [{ name, issuer, secrets, pointer, url: String(value['openIdConnectUrl']) }];
  });

/**
 * Each issuer must have a source. In production each operation needs an alternative of its `security` whose schemes are all
 * configured.
 *
 * @throws {InvalidConfig} with the variables that are missing
 */
export function assertConfigured(config: CredentialsConfig, document: OpenApiDocument): void {
  locateIssuers(config.issuers, namedIssuers(config, document));
  if (!config.production) return;
  const missing = new Map(unset(config).map((source) => [source.variable, source]));
  const sourceOf = (scheme: string) => {
    const verifier = Object.hasOwn(config.verifiers, scheme) ? config.verifiers[scheme] : undefined;
    return verifier && isVerifier(verifier) ? missing.get(verifier.secrets) : undefined;
  };
  const lacking = readOperations(document).flatMap(({ operationId, security }) => {
    const alternatives = security.map((all) => [
      ...new Set(all.flatMap(({ scheme }) => sourceOf(scheme) ?? [])),
    ]);
    const isLacking = security.length > 0 && alternatives.every(({ length }) => length > 0);
    return isLacking ? { operationId, alternatives } : [];
  });
  const needed = new Set(
    lacking.flatMap(({ alternatives: [first = [], ...others] }) => (others.length > 0 ? [] : first)),
  );
  const choices = lacking.filter(
    ({ alternatives }) => !alternatives.some((all) => all.every((source) => needed.has(source))),
  );
  const either = Map.groupBy(choices, ({ alternatives }) => {
    const [names, forms] = [namesOf, ({ form }: SecretSource) => form.many].map((text) =>
      alternatives.map((all) => all.map(text).join(' and ')).join('; or '),
    );
    return `${names} is missing: expected ${forms}`;
  });
  /** A scheme that names its issuer needs no secret. */
  const orIssuer = ({ variable }: SecretSource) => {
    const its = namedIssuers(config, document).filter(({ secrets }) => secrets === variable);
    const audiences = its.map(({ issuer }) => `${issuer}_AUDIENCE`);
    return audiences.length > 0 ? `, or ${[...new Set(audiences)].join(' or ')} for those of the issuer` : '';
  };
  const wrong = [
    ...[...needed].map(
      (source) => `${namesOf(source)} is missing: expected ${source.form.many}${orIssuer(source)}`,
    ),
    ...[...either].map(([text, [first, ...others]]) => {
      const more = others.length > 0 ? ` and ${others.length} more` : '';
      return `${text}, for ${first?.operationId}${more}`;
    }),
  ];
  if (wrong.length > 0)
    throw new InvalidConfig(wrong.map((text) => `${text}, because NODE_ENV is production`).join('\n'));
}

/** The sources without secrets whose schemes have no issuer either. */
function unset({ verifiers, sources, issuers }: CredentialsConfig): SecretSource[] {
  const isIssued = (variable: string) =>
    Object.values(verifiers).some(
      (verifier) =>
        isVerifier(verifier) && verifier.secrets === variable && issuers.has(verifier.issuer ?? ''),
    );
  return [...sources.values()].filter(({ secrets, variable }) => !secrets && !isIssued(variable));
}

interface GeneratedSecret {
  readonly variable: string;
  readonly secret: string;
  /** The secret as clients present it: after its prefix, if it has one. */
  readonly credential: string;
}

/** A secret as clients present it. */
export const credentialOf = ({ prefix }: TokenOptions, secret: string): string =>
  prefix === undefined ? secret : `${prefix} ${secret}`;

/** The verifiers of a running service. */
export interface Credentials<V extends Verifiers> {
  /** The passport strategy of each security scheme, for `createService`. */
  readonly strategies: { readonly [Scheme in keyof V]: StrategyOf<Extract<PrincipalsOf<V>[Scheme], object>> };
  /** What is generated for each security scheme without a configured secret. */
  readonly generated: ReadonlyMap<string, GeneratedSecret>;
  /** Resolves when the keys of each issuer have been fetched, or could not be. Rejects with `InvalidConfig` if an issuer is another. */
  readonly ready: Promise<void>;
  /** By the name of each security scheme of the type openIdConnect whose issuer is discovered. */
  readonly logins: ReadonlyMap<string, Login>;
  /** The names of the issuers, as their tokens have them. */
  readonly issuers: () => readonly string[];
  /** Reads the files of secrets again when they change. `onChange` receives a sentence, or an error. */
  readonly watch: (onChange: (change: string | InvalidConfig) => void) => void;
}

/** The secrets that are accepted, by variable, and those among them that were generated. */
interface OpenSecrets extends Pick<Credentials<Verifiers>, 'generated'> {
  readonly accepted: ReadonlyMap<string, AcceptedSecrets>;
}

/**
 * Generates a secret for each variable without one, except in production. It has every scope that the document demands.
 *
 * @throws {InvalidConfig} if an operation has no alternative that is configured
 * @throws {InvalidContract} if a verifier is not for the type of its security scheme
 */
export function openSecrets(config: CredentialsConfig, document: OpenApiDocument): OpenSecrets {
  const { verifiers, sources } = config;
  checkKinds(document, verifiers);
  assertConfigured(config, document);
  const scopes = [...new Set(securitySchemes(document).flatMap((scheme) => scheme.scopes))];
  const missing = new Set(unset(config).map(({ variable }) => variable));
  const generated = new Map<string, GeneratedSecret>();
  const accepted = new Map(
    [...sources].map(([variable, { form, secrets = [] }]) => {
      if (config.production || !missing.has(variable)) return [variable, new AcceptedSecrets(secrets)];
      const secret = generate(config.place, variable, form);
      for (const [scheme, verifier] of Object.entries(verifiers))
        if (isVerifier(verifier) && verifier.secrets === variable)
          generated.set(scheme, { variable, secret, credential: credentialOf(verifier, secret) });
      const known = form.read(secret);
      return [
        variable,
        new AcceptedSecrets(known ? [{ ...known, client: { ...known.client, scopes } }] : []),
      ];
    }),
  );
  return { accepted, generated };
}

/**
 * Creates the strategies of the verifiers, over their secrets (`openSecrets`) and over the dependencies of the service.
 *
 * @param warn receives what is wrong with a key of an issuer, and which schemes accept nobody
 * @throws {InvalidContract} if a verifier is not for the type of its security scheme
 */
export function openCredentials<Dependencies, V extends Verifiers<Dependencies>>(
  config: CredentialsConfig<V>,
  document: OpenApiDocument,
  dependencies: Dependencies,
  warn: (message: string) => void = () => undefined,
): Credentials<V> {
  const { verifiers, sources } = config;
  const { accepted, generated } = openSecrets(config, document);
  const named = namedIssuers(config, document);
  const issuers = locateIssuers(config.issuers, named);
  if (config.production)
    for (const source of unset(config)) {
      const idle = Object.entries(verifiers).flatMap(([scheme, verifier]) =>
        isVerifier(verifier) && verifier.secrets === source.variable ? [scheme] : [],
      );
      const schemes =
        idle.length > 1 ? `schemes ${idle.join(', ')} accept` : `scheme ${idle.join('')} accepts`;
      warn(`${namesOf(source)}: no ${source.form.many} are configured, so the security ${schemes} nobody`);
    }
  const discovered = new Map<string, Discovered>();
  const jwts = new Map(
    [...issuers].map(([name, issuer]) => [
      name,
      jwtVerifier(issuer, warn, (found) => void discovered.set(name, found)),
    ]),
  );
  const strategyOf = (verifier: Verifiers<Dependencies>[string]): StrategyOf<object> => {
    if (typeof verifier === 'function') return verifier(dependencies);
    if (!isVerifier(verifier)) return verifier;
    const secrets = accepted.get(verifier.secrets) ?? new AcceptedSecrets([]);
    const jwt = jwts.get(verifier.issuer ?? '');
    if (!jwt) return strategyFor(verifier.kind, secrets.verify, verifier);
    return strategyFor(
      verifier.kind,
      (secret): Verified<Client> => secrets.verify(secret) || jwt.then((verify) => verify(secret)),
    );
  };
  return {
    strategies: Object.fromEntries(
      Object.entries(verifiers).map(([scheme, verifier]) => [scheme, strategyOf(verifier)]),
    ) as Credentials<V>['strategies'],
    generated,
    ready: Promise.all(jwts.values()).then(() => undefined),
    logins: loginsOf(issuers, named, discovered),
    issuers: () =>
      [...issuers].map(([name, { source }]) =>
        'issuer' in source ? source.issuer : (discovered.get(name)?.issuer ?? issuerOf(source.discoveryUrl)),
      ),
    watch: (onChange) => {
      for (const source of sources.values()) {
        watchSecrets(source, (change) => {
          const { many } = source.form;
          if (change instanceof Error) {
            onChange(new InvalidConfig(`the ${many} are unchanged: ${change.message}`));
            return;
          }
          accepted.get(source.variable)?.replace(change);
          onChange(`the ${many} have been replaced`);
        });
      }
    },
  };
}

const generate = (place: Place | undefined, variable: string, { form }: SecretForm): string =>
  `${form.startsWith(BASIC_USERS.form) ? 'user:' : ''}${madeUp(place, variable, 24).toString('base64url')}`;

/** @throws {InvalidContract} */
function checkKinds(document: OpenApiDocument, verifiers: Verifiers): void {
  const findings = securitySchemes(document).flatMap(({ name, pointer, kind: expected }) => {
    const verifier = Object.hasOwn(verifiers, name) ? verifiers[name] : undefined;
    if (!verifier || !isVerifier(verifier) || expected === undefined || expected === verifier.kind) return [];
    const message = `src/auth.ts verifies this security scheme with ${KINDS[verifier.kind].verifier}: expected ${KINDS[expected].verifier}`;
    return [{ pointer, message }];
  });
  if (findings.length > 0) throw new InvalidContract(findings);
}
