import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { BadRequest, type LaunchRequest, owned, type PackageContent } from 'headgate/driver-kit';
import type { CliJob } from '../commands/cli.js';
import { settingsXml } from '../commands/command-line.js';

// What the engine's command is told of a launch, in words and in files beside it.

/**
 * In a file, where nothing has to be quoted; a configuration package takes that place, and is outdone word by word. What
 * proves who the application is never stands among words, which everybody on the machine can read.
 */
export async function settingWords(
  job: CliJob,
  config: PackageContent | undefined,
  properties: Readonly<Record<string, string>>,
  secret: Readonly<Record<string, string>>,
): Promise<string[]> {
  if (!config) {
    await writeFile(job.path('launch.xml'), settingsXml({ ...properties, ...secret }), { mode: 0o600 });
    return ['-conf', job.path('launch.xml')];
  }
  await job.setUp(secret);
  await pipeline(config.archive(), owned(createWriteStream(job.path('config.apc'))));
  const words = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`);
  return [...words, '-conf', job.path('config.apc')];
}

/** A package as it is, with the name of the application in it; a definition without one, as a file. */
export async function sourceWords(job: CliJob, request: LaunchRequest): Promise<string[]> {
  const { packaged, packageContent, application } = request;
  if (packaged && packageContent) {
    await pipeline(packageContent.archive(), owned(createWriteStream(job.path('package.apa'))));
    return ['-exactMatch', job.path('package.apa'), packaged.name];
  }
  if (!application)
    throw new BadRequest(
      'APPLICATION_TYPE_NOT_SUPPORTED',
      'There is neither a definition of the application nor a package',
    );
  await writeFile(job.path('application.json'), JSON.stringify(application));
  return [job.path('application.json')];
}
