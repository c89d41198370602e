import { run } from './programs';

/** Makes a folder a git repository with one commit, unless a repository has it. Returns a sentence. */
export async function commit(folder: string): Promise<string> {
  const git = (...args: string[]) => run(['git', ...args], folder).catch(() => undefined);
  const above = await git('rev-parse', '--show-toplevel');
  if (!above) return 'git is not installed: the files are not in a repository';
  if (above.status === 0 && (await git('check-ignore', '--quiet', '.'))?.status !== 0)
    return `not committed, because the folder belongs to the git repository ${above.stdout.trim()}: git add --all && git commit`;
  if ((await git('init', '--quiet', '--initial-branch=main'))?.status !== 0)
    return 'git could not create a repository here: the files are not in one';
  await git('add', '--all');
  const made = await git('commit', '--quiet', '--message', 'Create the service from its document');
  return made?.status === 0
    ? 'committed to a new git repository'
    : 'the files are staged in a new git repository: set your name and e-mail address in git, then commit';
}
