import path from 'node:path';
import express, { type Router } from 'express';
import { stringify } from 'yaml';
import { isObject, type JsonObject, writeDocument } from '../contract';

/** The files of Swagger UI, from its package (https://github.com/swagger-api/swagger-ui). */
const ASSETS = path.dirname(require.resolve('swagger-ui-dist/package.json'));
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** Allows only scripts, styles and images of this server. No page may frame this one. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:", // the arrows of Swagger UI's style sheet
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = (title: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<script src="docs/swagger-ui-bundle.js" defer></script>
<script src="docs/start.js" defer></script>
</head>
<body><main id="docs"></main></body>
</html>
`;

const titleOf = ({ info }: JsonObject): string => String(isObject(info) ? info['title'] : '');
const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Sends each request to the server of this page, not to the servers that the document names. */
const START = `SwaggerUIBundle({
  dom_id: '#docs',
  url: 'openapi.json',
  deepLinking: true,
  tryItOutEnabled: true,
  requestInterceptor(request) {
    const { pathname, search } = new URL(request.url, location.href);
    request.url = location.origin + pathname + search;
    return request;
  },
});
`;

/**
 * The published contract as `openapi.json` and `openapi.yaml`, and the documentation page `docs`. Mounted under the
 * reserved path prefix.
 */
export function docsRouter(document: JsonObject): Router {
  const router = express.Router({ strict: true });
  const texts: [name: string, type: string, text: string][] = [
    ['openapi.json', 'application/json', writeDocument(document, 2)],
    ['openapi.yaml', 'application/yaml', stringify(document)], // RFC 9512
    ['docs', 'text/html', page(escapeHtml(titleOf(document)))],
    ['docs/start.js', 'text/javascript', START],
  ];
  for (const [name, type, text] of texts) {
    router.get(`/${name}`, (_request, response) => {
      response.set({ 'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff' });
      response.type(type).send(text);
    });
  }
  for (const name of FILES) {
    router.get(`/docs/${name}`, (_request, response) => {
      response.set('X-Content-Type-Options', 'nosniff').sendFile(path.join(ASSETS, name), { maxAge: '1h' });
    });
  }
  return router;
}
