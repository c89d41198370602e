/**
 * Makes `instanceof` recognize the errors of another copy of this package: the command that lays out a service has one copy,
 * and the service another, and both can be loaded into one process. A subclass recognizes its own instances only.
 */
export function branded(error: new (...args: never[]) => Error, name: string): void {
  const brand = Symbol.for(`contract-first/${name}`);
  Object.defineProperty(error.prototype, brand, { value: true });
  Object.defineProperty(error, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this !== error) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === 'object' && value !== null && brand in value;
    },
  });
}
