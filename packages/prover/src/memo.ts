/** Values that are computed once for each owner and key. The owner, and all else that they depend on, must not change. */
export class Memo<Owner extends object, Value extends object> {
  private readonly owners = new WeakMap<Owner, Map<string, Value>>();

  /** Returns the known value, or else computes it. */
  get(owner: Owner, key: string, compute: () => Value): Value {
    const known = this.owners.get(owner)?.get(key);
    if (known) return known;
    const value = compute(); // It may compute other values of the same owner.
    const values = this.owners.get(owner);
    if (values) values.set(key, value);
    else this.owners.set(owner, new Map([[key, value]]));
    return value;
  }
}
