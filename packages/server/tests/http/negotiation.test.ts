import request from 'supertest';
import { type Answer, exampleRequest } from 'contract-first-server';
import { OpenApiDocument } from 'contract-first-server/tools';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchange } from '../../../../scripts/testing/wire';

const STRING = { schema: { type: 'string' } };
const versions = (required: string) => ({ schema: { type: 'object', required: [required] } });

/** An operation, the input of its handler, and a client. */
function serve(operation: object, answer: (given: Readonly<Record<string, unknown>>) => Answer) {
  const given: Readonly<Record<string, unknown>>[] = [];
  const { app } = buildService({
    document: buildDocument({ operation }),
    handlers: {
      postThing: (of) => {
        given.push(of);
        return Promise.resolve(answer(of));
      },
    },
  });
  return { app, given };
}

describe('a body is validated by its media type', () => {
  const content = {
    'application/json; version=1': versions('one'),
    'application/json; version=2': versions('two'),
    'text/csv': STRING,
    'image/*': {},
  };
  const post = async (type: string, body: string) => {
    const { app, given } = serve({ requestBody: { content } }, () => ({ status: 204 }));
    const { status } = await request(app).post('/things').set('Content-Type', type).send(body);
    return [status, given[0]?.['contentType']];
  };

  it.each([
    ['application/json; version=1', '{"one":1}', [204, 'application/json; version=1']],
    ['application/json; version=1', '{"two":1}', [400, undefined]],
    ['application/json; version=2', '{"two":1}', [204, 'application/json; version=2']],
    ['application/JSON;charset=utf-8;Version="2"', '{"two":1}', [204, 'application/json; version=2']],
    ['application/json;version=2', '{"one":1}', [400, undefined]],
    ['application/json;version=3', '{"one":1}', [415, undefined]],
    ['application/json', '{"one":1}', [415, undefined]],
    ['text/csv; charset=UTF-8', 'a', [204, 'text/csv']],
    ['image/png', 'a', [204, 'image/png']],
    ['image/*', 'a', [415, undefined]],
  ])('%s: %s', async (type, body, want) => {
    expect(await post(type, body)).toEqual(want);
  });

  it('the handler receives the media type if there are several', async () => {
    const { app, given } = serve({ requestBody: { content: json({}) } }, () => ({ status: 204 }));
    await request(app).post('/things').set('Content-Type', 'application/json').send('1').expect(204);
    expect(given[0]).toMatchObject({ contentType: 'application/json', accepts: undefined });
  });
});

describe('the response has a media type that the client accepts', () => {
  const both = { description: '', content: { ...json({ type: 'string' }), 'text/csv': STRING } };
  const problem = { description: '', content: { 'application/problem+json': {}, ...json({}) } };
  const get = async (responses: object, accept: string | undefined, answer: Partial<Answer> = {}) => {
    const { app, given } = serve({ responses }, () => ({ status: 200, body: 'a', ...answer }));
    // Without `set`, supertest sends no Accept at all.
    const client = request(app).post('/things');
    const { status, headers } = await (accept === undefined ? client : client.set('Accept', accept));
    const { 'content-type': type, vary } = headers as Record<string, string>;
    return { status, type, vary, accepts: given[0]?.['accepts'] };
  };
  const CSV = { status: 200, type: 'text/csv; charset=utf-8', vary: 'Accept', accepts: 'text/csv' };
  const JSON_TYPE = { status: 200, type: 'application/json', vary: 'Accept', accepts: 'application/json' };

  it.each([
    [undefined, JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['text/csv', CSV],
    ['text/*', CSV],
    ['application/json;q=0.1, text/csv;q=0.2', CSV],
    ['text/html, application/xhtml+xml, */*;q=0.8', JSON_TYPE],
    ['text/csv;q=0, */*', JSON_TYPE],
  ])('%p', async (accept, want) => {
    expect(await get({ 200: both }, accept)).toEqual(want);
  });

  it('none, which is 406 before the handler runs', async () => {
    const { app, given } = serve({ responses: { 200: both } }, () => ({ status: 200, body: 'a' }));
    const response = await request(app).post('/things').set('Accept', 'image/png').expect(406);
    expect(response.body).toEqual({
      error: 40600,
      message: 'unsupported Accept image/png; expected application/json or text/csv',
    });
    expect(given).toEqual([]);
  });

  it.each([
    ['one media type', { 200: { description: '', content: json({}) } }, 406],
    ['one that default documents', { default: { description: '', content: json({}) } }, 406],
    ['one in each of two statuses', { 200: { description: '', content: json({}) }, 201: both }, 406],
    ['none in one status', { 200: { description: '', content: json({}) }, 204: { description: '' } }, 200],
    ['those of errors', { 200: { description: '', content: { 'image/*': {} } }, 400: problem }, 200],
  ])('an image, where the document has %s', async (_, responses, status) => {
    const body = status === 200 && '400' in responses ? Buffer.from('a') : 'a';
    expect(await get(responses, 'image/png', { body })).toMatchObject({ status });
  });

  it('the one that the handler names', async () => {
    expect(await get({ 200: both }, 'text/csv', { contentType: 'application/json' })).toEqual({
      ...JSON_TYPE,
      accepts: 'text/csv',
    });
  });

  it('a status with an accepted type, although others have none', async () => {
    const responses = { 200: both, 201: { description: '', content: json({}) }, 404: problem };
    expect(await get(responses, 'text/csv', { status: 201 })).toMatchObject({
      status: 201,
      type: 'application/json',
      accepts: 'text/csv',
    });
    const refused = await get(responses, 'text/csv', { status: 404 });
    expect(refused).toMatchObject({ status: 404, type: 'application/problem+json', vary: 'Accept' });
  });

  it('none of them, for an error, which is sent anyway', async () => {
    const operation = {
      requestBody: { required: true, content: json({}) },
      responses: { 200: both, 400: problem },
    };
    const { app } = serve(operation, () => ({ status: 200, body: 'a' }));
    const response = await request(app).post('/things').set('Accept', 'text/csv').expect(400);
    expect(response.headers['content-type']).toBe('application/json');
  });

  it('by version', async () => {
    const content = { 'application/json; version=1': {}, 'application/json; version=2': {} };
    const responses = { 200: { description: '', content } };
    expect(await get(responses, 'application/json;version=2')).toMatchObject({
      type: 'application/json; version=2',
      accepts: 'application/json; version=2',
    });
    expect(await get(responses, 'application/json')).toMatchObject({ type: 'application/json; version=1' });
    expect(await get(responses, 'application/json; version=3')).toMatchObject({ status: 406 });
  });

  it('in Vary, in addition to other fields', async () => {
    const responses = { 200: { ...both, headers: { vary: STRING } } };
    expect(await get(responses, 'text/csv', { headers: { vary: 'Origin' } })).toMatchObject({
      vary: 'Origin, Accept',
    });
  });
});

/** What each object inherits, such as `constructor`, is the name of no top-level type that the server knows. */
describe.each(Object.getOwnPropertyNames(Object.prototype))('the range %s/*', (top) => {
  const content = { [`${top}/*`]: {} };
  const type = `${top.toLowerCase()}/x.any`;

  it('is that of a body and of its response', async () => {
    const responses = { 200: { description: '', content } };
    const body = Buffer.from('a');
    const { app, given } = serve({ requestBody: { content }, responses }, () => ({ status: 200, body }));
    const response = await request(app).post('/things').set('Content-Type', type).send('a').expect(200);
    expect(response.headers['content-type']).toBe(type);
    expect(given[0]?.['contentType']).toBe(type);
  });

  it('has an example of a request', () => {
    const document = buildDocument({ operation: { requestBody: { required: true, content } } });
    const headers = { 'Content-Type': `${top}/x.any` };
    expect(exampleRequest(new OpenApiDocument(document))).toMatchObject({ headers });
  });
});

describe('a refusal names what was received and what is expected', () => {
  const both = { ...json({}), 'text/csv': STRING };
  const LONG = 'a'.repeat(3_000);
  // Each byte that HTTP admits in a field value, between two that stay (RFC 9110 section 5.5).
  const BYTES = Array.from({ length: 256 }, (_, byte) => byte).filter(
    (byte) => byte === 9 || (byte >= 0x20 && byte !== 0x7f),
  );
  const shown = (byte: number) => (byte < 0x20 || byte > 0x7e ? '\ufffd' : String.fromCharCode(byte));

  const TYPES = 'application/json or text/csv';
  // The field is `before`, the value and `after`.
  const KINDS = [
    [415, 'Content-Type', 'Content-Type: ', '', TYPES],
    [415, 'Content-Encoding', 'Content-Type: text/csv\r\nContent-Encoding: ', '', 'identity'],
    [415, 'charset', 'Content-Type: text/csv; charset="', '"', 'utf-8'],
    [406, 'Accept', 'Content-Type: text/csv\r\nAccept: ', '', TYPES],
  ] as const;
  it.each(KINDS)('%i, %s', async (status, name, before, after, expected) => {
    const responses = { 200: { description: '', content: both } };
    const { app, given } = serve({ requestBody: { content: both }, responses }, () => ({
      status: 200,
      body: '',
    }));
    const ask = async (port: number, value: string) => {
      const head = `POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n${before}${value}${after}\r\n\r\na`;
      const [reply] = await exchange(port, Buffer.from(head, 'latin1'));
      return {
        status: reply?.status,
        message: (JSON.parse(reply?.body ?? '') as { message: string }).message,
      };
    };
    await listening(app, async (port) => {
      const refused = (value: string) => ({
        status,
        message: `unsupported ${name} ${value}; expected ${expected}`,
      });
      expect(await ask(port, 'image/png')).toEqual(refused('image/png'));
      expect(await ask(port, `image/${LONG}`)).toEqual(refused(`image/${'a'.repeat(94)}...`));
      // Two would end the text of the charset, and it is compared in lower case.
      for (const byte of BYTES.filter(
        (one) => name !== 'charset' || !/["\\A-Z]/.test(String.fromCharCode(one)),
      ))
        expect(await ask(port, `image/png, x${String.fromCharCode(byte)}y`)).toEqual(
          refused(`image/png, x${shown(byte)}y`),
        );
    });
    expect(given).toEqual([]);
  });

  it('a body without a media type', async () => {
    const { app } = serve({ requestBody: { content: both } }, () => ({ status: 204 }));
    await listening(app, async (port) => {
      for (const field of ['', 'Content-Type:\r\n']) {
        const [reply] = await exchange(
          port,
          `POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n${field}\r\na`,
        );
        expect(reply).toMatchObject({
          status: 415,
          body: expect.stringContaining(
            '"missing Content-Type; expected application/json or text/csv"',
          ) as string,
        });
      }
    });
  });
});
