import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { constants, runInThisContext } from 'node:vm';
import { isSingle } from './files.js';

// Child processes are started as Node is: with options, and a file or a program (`-e`). A single executable is no Node, and
// hears no options, but of `NODE_OPTIONS`; told to by a variable it does the rest itself, as Electron does.

const variable = 'DESKTOP_AS_NODE';
const permission = ['--permission', '--experimental-permission'].find((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag),
);

/** What children need in their environment, with these options. */
const environment = (...options) =>
  isSingle ? { [variable]: '1', NODE_OPTIONS: ['--no-warnings', ...options].join(' ') } : {};

export const environmentOfContainers = environment('--max-old-space-size=128');
export const environmentOfConditions = environment('--max-old-space-size=128', permission);

export const isChild = isSingle && process.env[variable] !== undefined;

/** Does what Node does with these words. */
export function asNode(words) {
  const [first, ...rest] = words.slice(words.findIndex((word) => !word.startsWith('--')));
  if (first === '-e') {
    globalThis.require = createRequire(process.execPath);
    runInThisContext(rest[0], '[eval]');
    return;
  }
  process.argv = [process.execPath, first, ...rest];
  const importing = { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
  runInThisContext('(url) => import(url)', importing)(pathToFileURL(first).href);
}
