import { answer, json, mutants, request, type Fault } from './parts';

const path = (change: (path: string) => string): Fault =>
  request((incoming) => {
    incoming.url = change(incoming.url ?? '');
  });

export const routes = mutants({
  'methods and paths': {
    'Allow is missing': answer(({ headers }) => delete headers['Allow']),
    'Allow names too much': answer(({ status, headers }) => {
      if (status === 405) headers['Allow'] = 'GET, POST';
    }),
    '404 stands for 405': json((value, given) => {
      if (given.status !== 405) return;
      given.status = 404;
      value['error'] = 40400;
    }),
    '400 stands for 404': answer((given) => {
      if (given.status === 404) given.status = 400;
    }),
    'HEAD is answered as if it were there': answer((given, { method }) => {
      if (method === 'HEAD') given.status = 200;
    }),
    'OPTIONS is answered 204': answer((given, { method }) => {
      if (method === 'OPTIONS') Object.assign(given, { status: 204, body: '' });
    }),
    'any method creates': request((incoming) => (incoming.method = 'POST')),
    'a slash at the end is forgiven': path((url) => url.replace(/\/$/, '')),
    'letter case is forgiven': path((url) => url.toLowerCase()),
    'paths are decoded': path((url) => decodeURI(url)),
    'slashes are merged': path((url) => url.replace(/^\/\//, '/')),
    'dots are resolved': path((url) => new URL(url, 'http://x').pathname),
  },
});
