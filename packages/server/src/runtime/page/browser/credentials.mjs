/**
 * Credentials are kept for the tab: a reload keeps them, another tab does not have them, and "Logout" removes them. Another
 * service may have been at this address, so they come back only under the title of their document, to a scheme that is as it was.
 */

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

/** A plugin of Swagger UI, which calls this action after each change. */
export const credentialsPlugin = {
  statePlugins: {
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
