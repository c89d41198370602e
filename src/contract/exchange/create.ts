/** Creates the members of an object. */
export type Create = <T extends object>(makers: { readonly [Name in keyof T]: () => T[Name] }) => T;

/** Creates the members at once. */
export const atStart: Create = <T extends object>(makers: { readonly [Name in keyof T]: () => T[Name] }) => {
  const object: Partial<T> = {};
  for (const name of Object.keys(makers) as (keyof T)[]) object[name] = makers[name]();
  return object as T;
};

/** Creates each member at its first use. */
export const atFirstUse: Create = <T extends object>(makers: {
  readonly [Name in keyof T]: () => T[Name];
}) => {
  const object: Partial<T> = {};
  for (const name of Object.keys(makers) as (keyof T)[]) {
    const get = () => {
      const value = makers[name]();
      Object.defineProperty(object, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
  }
  return object as T;
};
