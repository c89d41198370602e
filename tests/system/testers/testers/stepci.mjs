import { run } from '@stepci/runner';
import { createRequire } from 'node:module';
import { work } from './worker.mjs';

const { generateWorkflow } = createRequire(import.meta.url)('@stepci/plugin-openapi');

// The workflow that Step CI generates from the document. It sends no credentials by itself; the workflow gets them.
work(async ({ document, base, headers }) => {
  const workflow = await generateWorkflow(document, { check: { examples: false } });
  workflow.config.http.baseURL = base;
  for (const { steps } of Object.values(workflow.tests)) {
    for (const { http } of steps) http.headers = { ...http.headers, ...headers };
  }
  const { result } = await run(workflow);
  return result.tests.flatMap(({ steps }) =>
    steps
      .filter(({ passed }) => !passed)
      .flatMap(({ id, checks, errorMessage }) => [
        ...(errorMessage ? [`${id}: ${errorMessage}`] : []),
        ...Object.entries(checks ?? {})
          .filter(([, check]) => check?.passed === false)
          .map(([name]) => `${id}: ${name}`),
      ]),
  );
});
