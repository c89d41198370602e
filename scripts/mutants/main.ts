import { describeFailure, formatTable, run } from 'contract-first-prover';
import { progress, runProgram } from '../program';
import { type Group, GROUPS, type Trial } from './groups';

type State = 'caught' | 'equivalent' | 'SURVIVED' | 'REFUSED' | 'STALE';

type Row = readonly [state: State, group: string, mutant: string, ...rest: (string | number)[]];

/**
 * `make mutants`: the contract tests against servers with one fault each. A mutant is caught if the family of cases that
 * is there for such faults fails; that something else fails does not count.
 */
async function main(): Promise<void> {
  const began = performance.now();
  const rows: Row[] = [];
  const unsound: string[] = [];
  for (const [name, make] of GROUPS) {
    try {
      const group = await make();
      const sound = await run(group.sound, { generated: GENERATED });
      if (!sound.passed)
        unsound.push(`${name}: ${sound.failures.map(describeFailure)[0] ?? 'not all is proven'}`);
      else for (const trial of group.mutants) rows.push(await verdict(group, trial, rows.length + 1));
    } catch (error) {
      unsound.push(`${name}: ${messageOf(error)}`);
    }
  }
  progress('');
  console.log(
    formatTable([['', 'server', 'mutant', 'family that must catch it', 'failures', 'in it'], ...rows]),
  );
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  for (const [state, group, mutant] of rows) {
    const message = MESSAGES[state];
    if (message !== undefined) console.log(`\n${group}, ${mutant}: ${message}`);
  }
  const equivalent = rows.filter(([state]) => state === 'equivalent').length;
  const caught = rows.filter(([state]) => state === 'caught').length;
  console.log(
    `\n${caught} of ${rows.length - equivalent} mutants caught, ${equivalent} more are equivalent, ${seconds} s`,
  );
  for (const reason of unsound)
    console.log(`\nNot tried, because the suite does not pass on the sound server of ${reason}`);
  process.exitCode = caught + equivalent === rows.length && unsound.length === 0 ? 0 : 1;
}

const MESSAGES: Partial<Record<State, string>> = {
  SURVIVED: 'no case of the family sees it. Add one to the prover, or list it in EQUIVALENT with the reason',
  REFUSED: 'it does not start, so that it shows nothing. Make it otherwise, or leave it out',
  STALE: 'it is caught, so that it is not equivalent. Take it out of EQUIVALENT',
};

function stateOf(isCaught: boolean, isEquivalent: boolean): State {
  if (isEquivalent) return isCaught ? 'STALE' : 'equivalent';
  return isCaught ? 'caught' : 'SURVIVED';
}

async function verdict(
  group: Group,
  { name, families, target, oracle, equivalent }: Trial,
  number: number,
): Promise<Row> {
  progress(`${number} ${group.name}: ${name}`);
  const row = [group.name, name, families.join(', ') || 'any'] as const;
  try {
    const { failures, passed } = await run(target, {
      generated: GENERATED,
      shrink: false,
      ...(oracle && { oracle }),
    });
    const fitting = failures.filter(
      ({ family }) => families.length === 0 || families.includes(family),
    ).length;
    const state = stateOf(fitting > 0 && !passed, equivalent !== undefined);
    return [state, ...row, failures.length, fitting];
  } catch (error) {
    // A document that cannot be served without the keyword, or a target that lacks what the document asks for.
    const [reason = ''] = messageOf(error).split('\n');
    return [equivalent === undefined ? 'REFUSED' : 'equivalent', ...row, reason.slice(0, 100), 0];
  }
}

/** Generated requests per kind: few, since the enumerated cases have to catch every mutant without luck. */
const GENERATED = 5;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

runProgram('mutants', main);
