#!/usr/bin/env node
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// The server is a package of its own, since it brings native code: this finds it, and says how to get it.

const server = '@headgate/server';
const usage = `Usage:
  headgate serve [options]    the gateway as a server of its own; its options: headgate serve --help
  headgate-license            keys and licenses
`;

const [command, ...args] = process.argv.slice(2);
if (command === 'serve') await serve();
else if (command === undefined || command === 'help' || command === '--help') process.stdout.write(usage);
else {
  process.stderr.write(`headgate: there is no command ${command}\n\n${usage}`);
  process.exitCode = 2;
}

async function serve(): Promise<void> {
  const place = [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href]
    .map(found)
    .find((file) => file !== undefined);
  if (place === undefined) {
    process.stderr.write(
      `headgate serve needs the package ${server}: npm install ${server}, or npx ${server} in place of npx headgate serve\n`,
    );
    process.exitCode = 1;
    return;
  }
  const { main } = await import(pathToFileURL(place).href);
  await main(args);
}

/** Where the package is for who stands there. */
function found(from: string): string | undefined {
  try {
    return createRequire(from).resolve(server);
  } catch {
    return undefined;
  }
}
