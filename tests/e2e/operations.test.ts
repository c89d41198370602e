import { errors } from '../../src/errors';
import { EXAMPLE, metricsOf, MISMATCH, portOf, send, SUCCESS } from '../../scripts/testing/client';
import { type Program, startProgram } from '../../scripts/testing/program';
import { TOKEN } from '../../scripts/testing/plant-service';
import { exchange } from '../../scripts/testing/wire';

let server: Program;
beforeAll(async () => {
  server = await startProgram({ API_TOKENS: TOKEN });
});
afterAll(() => server.stop());

test('responses forbid sniffing and caching, and do not reveal the framework', async () => {
  for (const path of [EXAMPLE.path, '/nowhere', '/-/live', '/-/ready', '/-/metrics', '/-/nowhere']) {
    const { headers } = await fetch(server.url + path);
    expect([path, headers.get('x-content-type-options'), headers.get('cache-control')]).toEqual([
      path,
      'nosniff',
      'no-store',
    ]);
    expect([...headers.keys()]).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/powered|server/)]),
    );
  }
});

test('is live and ready, and serves no other path there', async () => {
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(server.url + path, { method });
    return [response.status, method === 'HEAD' ? '' : await response.json()] as const;
  };
  const refused = async (path: string, method?: string) => {
    const [status, body] = await ask(path, method);
    return [status, errors.numberOf(body)];
  };
  expect(await ask('/-/live')).toEqual([200, { status: 'live' }]);
  expect(await ask('/-/ready')).toEqual([200, { status: 'ready' }]);
  expect(await ask('/-/ready', 'HEAD')).toEqual([200, '']);
  expect(await refused('/-/ready', 'POST')).toEqual([405, 40500]);
  expect(await refused('/-/Live')).toEqual([404, 40400]);
  expect(await refused('/-/live/')).toEqual([404, 40400]);
});

test('metrics count requests and refusals, and describe the process', async () => {
  const server = await startProgram({ API_TOKENS: TOKEN });
  await send(server);
  await send(server, {}, '["a-private-value"]');
  await send(server, {}, MISMATCH);
  await fetch(`${server.url}/a/path/of/no/operation`);
  await exchange(portOf(server), 'hello\r\n\r\n');
  const response = await fetch(`${server.url}/-/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await response.text()).not.toMatch(/no\/operation|private/);
  const metrics = await metricsOf(server);
  const answered = `http_request_duration_seconds_count{operation_id="${EXAMPLE.operationId}",status=`;
  expect(metrics.get(`${answered}"${SUCCESS}"}`)).toBe(1);
  expect(metrics.get(`${answered}"400"}`)).toBe(2);
  expect(metrics.get('http_request_duration_seconds_count{operation_id="none",status="404"}')).toBe(1);
  expect(metrics.get('http_refusals_total{error="40000"}')).toBe(1);
  expect(metrics.get('http_refusals_total{error="40001"}')).toBe(2);
  expect(metrics.get('http_refusals_total{error="40400"}')).toBe(1);
  expect(metrics.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  expect(metrics.get('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(await server.stop()).toBe(0);
});
