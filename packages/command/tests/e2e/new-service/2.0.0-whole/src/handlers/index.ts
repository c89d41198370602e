import type { Dependencies } from '../dependencies';
import type { Handlers } from './types';
import { logIn } from './log-in';
import { register } from './register';
import { listTeas } from './list-teas';
import { createTea } from './create-tea';
import { getTea } from './get-tea';
import { deleteTea } from './delete-tea';

/** The handler of every operation in the document, by operationId. */
export const createHandlers = (dependencies: Dependencies): Handlers => ({
  logIn: logIn(dependencies),
  register: register(dependencies),
  listTeas: listTeas(dependencies),
  createTea: createTea(dependencies),
  getTea: getTea(dependencies),
  deleteTea: deleteTea(dependencies),
});
