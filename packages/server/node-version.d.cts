/**
 * Sets the exit status 2 if this Node is too old, and prints a line that works there.
 *
 * @param command what a person typed, as a list of words; that of the npm script by default
 * @returns whether Node is new enough
 */
declare function check(command?: readonly string[]): boolean;
export = check;
