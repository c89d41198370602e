/**
 * Makes this process a tester: it runs each job that the parent sends, and answers with what failed.
 *
 * @param test job => names of failed checks. A job has `document`, the path of the document; `base`, the URL of the server; `headers`, with credentials; `folder`, to write to
 */
export function work(test) {
  process.on('message', async (job) => {
    try {
      process.send({ failures: [...new Set(await test(job))].sort() });
    } catch (error) {
      process.send({ error: String(error?.message ?? error) });
    }
  });
}

/** Computes the value of each key once. */
export function once(compute) {
  const known = new Map();
  return (key, ...rest) => {
    if (!known.has(key)) known.set(key, compute(key, ...rest));
    return known.get(key);
  };
}
