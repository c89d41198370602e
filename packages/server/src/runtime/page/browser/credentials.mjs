/**
 * Credentials are kept for the tab: a reload keeps them, another tab does not have them, and "Logout" removes them. Another
 * service may have been at this address, so they come back only under the title of their document, to a scheme that is as it was.
 */

import { BASE } from './contract.mjs';

const keyOf = (specSelectors) =>
  `credentials of ${specSelectors.info().get('title')} at ${location.pathname}`;
/** The members of a Security Scheme Object that say where its credentials go. */
const MEMBERS = ['type', 'scheme', 'in', 'name', 'openIdConnectUrl'];

function save(key, authorized) {
  try {
    sessionStorage.setItem(key, JSON.stringify(authorized));
  } catch {
    // The browser keeps nothing for this page.
  }
}

function load(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key)) ?? {};
  } catch {
    return {};
  }
}

/** Gives back the credentials of the tab. Called when the contract has been read. */
export function restoreCredentials({ authActions, specSelectors }) {
  const schemes = specSelectors.securityDefinitions()?.toJS() ?? {};
  const isKnown = ([name, { schema: given }]) => {
    // Swagger UI turns a scheme of this type into one of OAuth 2.
    const schema = given?.openIdConnectUrl ? { ...given, type: 'openIdConnect' } : given;
    return (
      Object.hasOwn(schemes, name) && MEMBERS.every((member) => schemes[name][member] === schema?.[member])
    );
  };
  const authorized = Object.fromEntries(Object.entries(load(keyOf(specSelectors))).filter(isKnown));
  if (Object.keys(authorized).length > 0) authActions.restoreAuthorization({ authorized });
}

/** API keys in cookies, which a script cannot send as a header: they are cookies for the time of a request. */
export function setCookies(authSelectors, maxAge) {
  const authorized = Object.values(authSelectors.authorized()?.toJS() ?? {});
  const keys = authorized.filter(({ schema }) => schema.type === 'apiKey' && schema.in === 'cookie');
  for (const { schema, value } of keys)
    document.cookie = `${schema.name}=${value}; Path=/; SameSite=Strict; Max-Age=${maxAge}`;
  return keys.length > 0;
}

/** What the fields of a security scheme expect. */
function hintOf({ type, scheme, bearerFormat, in: place, name }) {
  if (type === 'apiKey') {
    const where = { header: 'header field', query: 'query parameter', cookie: 'cookie' }[place];
    return `The key. It is sent as the ${where} ${name}.`;
  }
  if (type !== 'http')
    return `client_id is the name under which the issuer knows this page. Register it there with the redirect URL ${BASE}/-/docs/oauth2-redirect.html.`;
  if (/^basic$/i.test(scheme)) return 'They are sent in the header field Authorization.';
  return `The ${bearerFormat ? `${bearerFormat} token` : 'token'} alone, without “Bearer”. It is sent as Authorization: Bearer TOKEN.`;
}

const withHint =
  (Original, { React: { createElement } }) =>
  (props) =>
    createElement(
      'div',
      {},
      createElement(Original, props),
      createElement('p', { className: 'hint' }, hintOf(props.schema.toJS())),
    );

/** A plugin of Swagger UI, which calls this action after each change. */
export const credentialsPlugin = {
  wrapComponents: { HttpAuth: withHint, apiKeyAuth: withHint, oauth2: withHint },
  statePlugins: {
    spec: {
      wrapActions: {
        // The form of an issuer is known once its configuration has arrived. A dialog that was open before shows it then.
        updateResolvedSubtree:
          (original, { authActions, authSelectors }) =>
          (path, value) => {
            const before = authSelectors.definitionsToAuthorize();
            const updated = original(path, value);
            const after = authSelectors.definitionsToAuthorize();
            if (authSelectors.shownDefinitions() && !after.equals(before)) authActions.showDefinitions(after);
            return updated;
          },
      },
    },
    auth: {
      wrapActions: {
        persistAuthorizationIfNeeded:
          (original, { authSelectors, specSelectors }) =>
          () =>
            save(keyOf(specSelectors), authSelectors.authorized()),
      },
    },
  },
};
