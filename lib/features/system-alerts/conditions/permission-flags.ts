import { spawn } from 'node:child_process';
import { ownedProcess } from '../../../runtime/owned.js';

/** What starts the runtime without permissions, should it have them: it may be another version than the host's. */
export function permissionFlags(execPath: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const names = ['--permission', '--experimental-permission'];
  if (execPath === process.execPath)
    return Promise.resolve(firstOf(names, process.allowedNodeEnvironmentFlags));
  return new Promise((resolve) => {
    const child = ownedProcess(
      spawn(execPath, ['-p', 'JSON.stringify([...process.allowedNodeEnvironmentFlags])'], {
        env: { ...env },
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    child.on('error', () => resolve([]));
    child.on('close', () => resolve(firstOf(names, { has: (name) => text.includes(`"${name}"`) })));
  });
}

function firstOf(names: readonly string[], known: { has(name: string): boolean }): string[] {
  const found = names.find((name) => known.has(name));
  return found === undefined ? [] : [found];
}
