/**
 * Logins by OpenID Connect. Swagger UI reads the configuration of an issuer. Here is what it lacks to get a token for this
 * service.
 */

/** The parameters that name this service, by the URL of the token endpoint that expects them. */
const names = new Map();

/** Puts the issuers of this server, which its environment may have chosen, in the place of those in the contract. */
export function prepareIssuers(contract, logins) {
  const schemes = contract.components?.securitySchemes ?? {};
  for (const [name, { discoveryUrl }] of Object.entries(logins))
    schemes[name] = { ...schemes[name], type: 'openIdConnect', openIdConnectUrl: discoveryUrl };
}

/** The scopes that operations demand of a security scheme: an issuer need not publish those of its services. */
function scopesOf(contract, name) {
  const operations = Object.values(contract.paths ?? {}).flatMap((item) => Object.values(item));
  const demands = [contract, ...operations].flatMap((one) => one?.security ?? []);
  return demands.flatMap((demand) => demand[name] ?? []);
}

/** A configuration whose only login is by a code, for a token that names this service. */
export function prepareConfiguration(configuration, contract, name, { audience }) {
  // `resource` is that of RFC 8707, which takes a URI; some issuers have `audience`, and others ignore it.
  const parameters = { audience, ...(/^https?:/.test(audience) && { resource: audience }) };
  names.set(configuration.token_endpoint, parameters);
  const url = new URL(configuration.authorization_endpoint);
  for (const [parameter, value] of Object.entries(parameters)) url.searchParams.set(parameter, value);
  return {
    ...configuration,
    authorization_endpoint: url.href,
    grant_types_supported: ['authorization_code'],
    scopes_supported: [...new Set([...scopesOf(contract, name), ...(configuration.scopes_supported ?? [])])],
  };
}

/** Names this service in a request for a token. */
export function nameThis(request) {
  const parameters = names.get(request.url);
  if (parameters && request.method.toUpperCase() === 'POST')
    request.body = `${request.body}&${new URLSearchParams(parameters)}`;
}
