import { join } from 'node:path';
import { keepFolder } from '../../../../scripts/testing/folder';
import { installBeside, layOut, runIn } from '../../../../scripts/testing/package';
import { startProcess } from '../../../../scripts/testing/process';

// A service whose document has the header Idempotency-Key: its handlers repeat their answers.

jest.setTimeout(600_000);

const folder = keepFolder();
const service = join(folder, 'retries');
let said: string;
beforeAll(() => {
  installBeside(folder);
  said = layOut(service, join(__dirname, './new-service/retries.yaml'), folder);
});

test('a service with the header is laid out, and proven', () => {
  expect(said).toMatch(/PROVEN \d+\/\d+, WAIVED 0, UNPROVEN 0, BLOCKED 0, OUT OF REACH 4 /);
});

test('its workers repeat the answer to a retry', async () => {
  expect(runIn(service, 'tsc', '-p', 'src')).toEqual({ status: 0, output: '' });
  const env = {
    ...{ PORT: '0', WORKERS: '2', API_TOKENS: 'ann,bob' },
    DATABASE_URL: `sqlite:${join(folder, 'retries.db')}`,
  };
  const server = startProcess([join(service, 'dist/main.js')], env, service);
  const [address] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
  const add = async (token: string, title: string) => {
    const response = await fetch(`${address}/paintings`, {
      method: 'POST',
      headers: {
        ...{ 'Content-Type': 'application/json', Connection: 'close', 'Idempotency-Key': '"k"' },
        Authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ title }),
    });
    return { status: response.status, body: await response.json() };
  };
  const first = { status: 201, body: { id: 1, title: 'The Night Watch' } };
  for (let i = 0; i < 10; i++) expect(await add('ann', 'The Night Watch')).toEqual(first);
  expect(await add('ann', 'Girl with a Pearl Earring')).toMatchObject({ status: 422 });
  expect(await add('bob', 'The Night Watch')).toMatchObject({ status: 201, body: { id: 2 } });
  expect(await server.stop()).toBe(0);
});
