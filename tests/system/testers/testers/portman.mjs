import { collectionOf, runCollection } from './newman.mjs';
import { work } from './worker.mjs';

// The collection that Portman makes of the document, sent and judged by Newman.
work(async (job) => {
  const { run } = await runCollection(collectionOf(job.document, job), job.base);
  return run.failures.map(({ source, error }) => `${source?.name}: ${error.test ?? error.message}`);
});
