// The files by their names: a build of an earlier version may have left `sqlite.js` beside the folder.
import type { Driver } from './driver';
import { POSTGRES } from './postgres/index';
import { SQLITE } from './sqlite/index';

/** The engines that `openDatabase` knows. */
export const DRIVERS: Driver[] = [SQLITE, POSTGRES];
