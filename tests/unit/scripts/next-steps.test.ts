import { existsSync } from 'node:fs';
import path from 'node:path';
import { nextSteps } from '../../../scripts/generate/next-steps';
import { SERVICE } from '../../../scripts/prove/service/service-target';

const ROOT = path.resolve(__dirname, '../../..');

const documentOf = (statuses: readonly string[], security: readonly object[], schemes: object) => ({
  openapi: '3.1.0',
  info: { title: 'Plants', version: '1' },
  paths: {
    '/plants': {
      post: {
        operationId: 'createPlant',
        security: [...security],
        responses: Object.fromEntries(statuses.map((status) => [status, { description: status }])),
      },
    },
  },
  components: { securitySchemes: schemes },
});

it('names files that every service has', () => {
  const key = { type: 'apiKey', in: 'header', name: 'X-Key' };
  const bearer = { type: 'http', scheme: 'bearer' };
  const was = documentOf(['200'], [{ token: [] }], { token: bearer });
  const is = documentOf(['200', '409'], [{ key: [] }], { key });
  const steps = nextSteps(was, is);
  expect(steps).toEqual([
    expect.stringContaining('the security scheme key is new'),
    expect.stringContaining('no operation demands the security scheme token'),
    expect.stringContaining(`prove it by a scenario of ${SERVICE}`),
  ]);
  const files = steps.flatMap((step) => step.match(/(?:src|tests)\/[\w/-]+\.ts/g) ?? []);
  expect(files).toContain('src/handlers/create-plant.ts');
  for (const file of files) expect([file, existsSync(path.join(ROOT, file))]).toEqual([file, true]);
});
