import type { PackageContent, PackageProblem } from 'headgate/driver-kit';
import { isCode, isModule, type TooMuchCode } from './unpacking.js';

// What is said about the code of a package that can't be used.

export const modulesOf = ({ files }: PackageContent): string[] =>
  files
    .map(({ name }) => name)
    .filter((name) => isCode(name) && isModule(name))
    .sort();

export const notAllowedReason = 'its host does not let packages bring code (packageCode of localCluster)';

export const notAllowed = (content: PackageContent): PackageProblem[] =>
  modulesOf(content).map((file) => ({
    file,
    message: `it is not used: the host of the local engine does not let packages bring code (packageCode of localCluster)`,
  }));

export const tooMuch = ({ message }: TooMuchCode): PackageProblem => ({ file: 'lib/', message });

const shownProblems = 3;

export const hintOf = (problems: readonly PackageProblem[]): string =>
  problems
    .slice(0, shownProblems)
    .map(({ file, message }) => `; ${file}: ${message}`)
    .join('');

export const jarHint = (content: PackageContent | undefined): string =>
  content?.files.some(({ name }) => /^(app|lib)\/[^/]+\.jar$/i.test(name))
    ? '; the local engine has no JVM, so it can not use classes of jars'
    : '';
