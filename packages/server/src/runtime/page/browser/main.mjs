/**
 * The script of the documentation page: Swagger UI with the plugins beside this file. Requests go to the server that is chosen
 * on the page, which is at first the one that serves it; those for tokens go to their issuer.
 */

import { bodiesPlugin } from './bodies.mjs';
import { BASE, prepareContract } from './contract.mjs';
import { credentialsPlugin, restoreCredentials, setCookies } from './credentials.mjs';
import { nameThis, prepareConfiguration, prepareIssuers } from './logins.mjs';
import { followColors, lookPlugin, watchControls } from './look.mjs';
import { responsesPlugin } from './responses.mjs';
import { samplesPlugin } from './samples.mjs';
import { schemasPlugin } from './schemas.mjs';
import { followReader, sidebarPlugin } from './sidebar.mjs';
import { essence, streamed, streamsPlugin } from './streams.mjs';

const root = document.getElementById('docs');
const CONTRACT = new URL('openapi.json', location.href).href;
const LOGINS = JSON.parse(root.dataset.logins);
/** The contract, when it has been read. */
let contract;

followColors();
watchControls(root);
followReader(root);

const isOwn = (url) => new URL(url, location.href).origin === location.origin;

const ui = SwaggerUIBundle({
  domNode: root,
  url: 'openapi.json',
  deepLinking: true,
  filter: true,
  tryItOutEnabled: true,
  supportedSubmitMethods: root.dataset.methods.split(' '),
  layout: 'PageLayout',
  plugins: [
    streamsPlugin,
    schemasPlugin,
    bodiesPlugin,
    responsesPlugin,
    samplesPlugin,
    credentialsPlugin,
    lookPlugin,
    sidebarPlugin,
  ],
  oauth2RedirectUrl: `${BASE}/-/docs/oauth2-redirect.html`,
  onComplete: () => restoreCredentials(ui),
  requestInterceptor(request) {
    // Without cookies, so that the browser asks for no password after a challenge to basic authentication.
    if (!request.loadSpec && isOwn(request.url) && !setCookies(ui.authSelectors, 60))
      request.credentials = 'omit';
    nameThis(request);
    return request;
  },
  async responseInterceptor(response) {
    setCookies(ui.authSelectors, 0);
    if (response.url === CONTRACT) {
      contract = JSON.parse(response.text);
      prepareContract(contract);
      prepareIssuers(contract, LOGINS);
      response.text = JSON.stringify(contract);
    }
    const [name, login] =
      Object.entries(LOGINS).find(([, { discoveryUrl }]) => discoveryUrl === response.url) ?? [];
    if (login && response.ok)
      response.text = JSON.stringify(prepareConfiguration(JSON.parse(response.text), contract, name, login));
    if (response.data instanceof Blob && streamed.has(essence(response.headers['content-type'])))
      response.text = response.data = await response.data.text();
    return response;
  },
});
ui.initOAuth({ usePkceWithAuthorizationCodeGrant: true });
