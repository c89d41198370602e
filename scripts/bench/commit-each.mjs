import { createRequire } from 'node:module';

// Loaded before dist/main.js (`node --require`): the store creates one plant at a time, so that none ever shares a commit.

const storage = createRequire(import.meta.url)('../../dist/storage/open.js');
const { openStore } = storage;
storage.openStore = async (...args) => {
  const store = await openStore(...args);
  let last = Promise.resolve();
  return {
    ...store,
    create(plant) {
      const created = last.then(() => store.create(plant));
      last = created.catch(() => undefined);
      return created;
    },
  };
};
