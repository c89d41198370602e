import type { Driver } from './driver';
import { POSTGRES } from './postgres';
import { SQLITE } from './sqlite';

/** The engines that `openDatabase` knows. */
export const DRIVERS: Driver[] = [SQLITE, POSTGRES];
