// Writes the commit that was built, and its date, into dist/lib/build.js; without git they stay empty. Nobody's name.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = new URL('../dist/lib/build.js', import.meta.url);

function git(...args) {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}

// A copy without history that lies in somebody else's repository is not of that repository's commits.
const isOurs = git('rev-parse', '--show-prefix') === '' && git('ls-files', 'scripts/build-info.js') !== '';
const commit = isOurs ? git('rev-parse', 'HEAD') : '';
if (commit !== '') {
  const revision = git('status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit}-changed`;
  const date = new Date(Number(git('log', '-1', '--format=%ct')) * 1000).toISOString();
  const text = readFileSync(file, 'utf8');
  // As it was compiled, or as an earlier build wrote it.
  const value = /(export const buildInfo = )\{[^}]*\}/;
  if (!value.test(text)) throw new Error(`${file.pathname} does not hold the build`);
  writeFileSync(
    file,
    text.replace(value, (_, name) => name + JSON.stringify({ revision, date })),
  );
}
