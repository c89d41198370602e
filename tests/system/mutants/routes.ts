import { answer, json, mutant, request, type Fault, type Mutant } from './parts';

const path = (change: (path: string) => string): Fault =>
  request((incoming) => {
    incoming.url = change(incoming.url ?? '');
  });

export const routes: readonly Mutant[] = [
  mutant(
    'methods and paths',
    'Allow is missing',
    answer(({ headers }) => delete headers['Allow']),
  ),
  mutant(
    'methods and paths',
    'Allow names too much',
    answer(({ status, headers }) => {
      if (status === 405) headers['Allow'] = 'GET, POST';
    }),
  ),
  mutant(
    'methods and paths',
    '404 stands for 405',
    json((value, given) => {
      if (given.status !== 405) return;
      given.status = 404;
      value['error'] = 40400;
    }),
  ),
  mutant(
    'methods and paths',
    '400 stands for 404',
    answer((given) => {
      if (given.status === 404) given.status = 400;
    }),
  ),
  mutant(
    'methods and paths',
    'HEAD is answered as if it were there',
    answer((given, { method }) => {
      if (method === 'HEAD') given.status = 200;
    }),
  ),
  mutant(
    'methods and paths',
    'OPTIONS is answered 204',
    answer((given, { method }) => {
      if (method === 'OPTIONS') Object.assign(given, { status: 204, body: '' });
    }),
  ),
  mutant(
    'methods and paths',
    'any method creates',
    request((incoming) => (incoming.method = 'POST')),
  ),
  mutant(
    'methods and paths',
    'a slash at the end is forgiven',
    path((url) => url.replace(/\/$/, '')),
  ),
  mutant(
    'methods and paths',
    'letter case is forgiven',
    path((url) => url.toLowerCase()),
  ),
  mutant(
    'methods and paths',
    'paths are decoded',
    path((url) => decodeURI(url)),
  ),
  mutant(
    'methods and paths',
    'slashes are merged',
    path((url) => url.replace(/^\/\//, '/')),
  ),
  mutant(
    'methods and paths',
    'dots are resolved',
    path((url) => new URL(url, 'http://x').pathname),
  ),
];
