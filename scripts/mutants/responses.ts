import { answer, json, mutants, store } from './parts';

export const responses = mutants({
  baseline: {
    'success is 201': answer((given) => {
      if (given.status === 200) given.status = 201;
    }),
    'success has no name': json((value, { status }) => status === 200 && delete value['name']),
    'success calls the name title': json((value, { status }) => {
      if (status !== 200) return;
      value['title'] = value['name'] ?? '';
      delete value['name'];
    }),
    'success has a number for a name': json((value, { status }) => {
      if (status === 200) value['name'] = 7;
    }),
    'success shows the id': json((value, { status }) => {
      if (status === 200) value['id'] = 1;
    }),
    'success is text/plain': answer(({ status, headers }) => {
      if (status === 200) headers['Content-Type'] = 'text/plain';
    }),
    'everybody gets 401': answer((given) => {
      given.status = 401;
    }),
  },
  valid: {
    'success has a null tag': json((value, { status }) => {
      if (status === 200) value['tag'] ??= null;
    }),
  },
  constraints: {
    'errors are 200': answer((given) => {
      if (given.status === 400) given.status = 200;
    }),
    'invalid requests are 422': answer((given) => {
      if (given.status === 400) given.status = 422;
    }),
    'error numbers are strings': json((value) => {
      if ('error' in value) value['error'] = String(Number(value['error']));
    }),
    'errors have no message': json((value) => delete value['message']),
    'every 400 has the same number': json((value, { status }) => {
      if (status === 400) value['error'] = 40000;
    }),
    'errors are HTML': answer((given) => {
      if (given.status < 400) return;
      given.headers['Content-Type'] = 'text/html';
      given.body = '<h1>Bad Request</h1>';
    }),
  },
  situations: {
    'the stack is sent': json((value, { status }) => {
      if (status === 500) value['message'] = new Error('a secret cause').stack ?? '';
    }),
    '500 for a store that is away': answer((given) => {
      if (given.status === 503) given.status = 500;
    }),
    'Retry-After is missing': answer(({ headers }) => delete headers['Retry-After']),
  },
  scenarios: {
    'a taken id is overwritten': store(async () => Promise.resolve('created')),
    'a retry is a conflict': store(async (sound, plant) => {
      const outcome = await sound.create(plant);
      return outcome === 'unchanged' ? 'conflict' : outcome;
    }),
    'a plant is its id and name': store((sound, { id, name }) => sound.create({ id, name })),
  },
});
