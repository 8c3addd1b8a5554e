import * as z from 'zod';
import { defaultJsonLimits, parseJson, sizeOf } from '../../formats/json.js';
import { issueSentences } from '../../http/validate.js';
import type { JarReader } from '../../interfaces/jar-reader.js';
import type { Launcher } from '../../interfaces/launcher.js';
import { BadRequest, TooLarge } from '../../model/errors.js';
import { timeSlice } from '../../runtime/event-loop.js';
import type { Archive, ArchiveEntry } from './archive/reader.js';
import { type ConfigProperty, defaultXmlLimits, parseConfiguration } from './config-xml.js';
import { jarSource } from './jar-source.js';
import { manifestName, maxManifestBytes, packageManifest, parseManifest } from './manifest.js';
import { type PackageFiles, packageFiles } from './package-files.js';
import { PackageServices, PackageUi } from './schema.js';
import type { ContainedApp, PackageContents } from './stored.js';

/** Bytes of JSON that all that is read out of a package may take. */
const maxContentsBytes = 512 * 1024;

const propertiesFile = 'META-INF/properties.xml';
const uiFile = 'resources/ui/ui.json';
const servicesFile = 'resources/services.json';

const maxJsonBytes = defaultJsonLimits.maxBytes;
/** Of files that lists repeat. */
const maxListedBytes = 64 * 1024;

/** Reads what a gateway tells about a package. Rejects with `BadRequest` naming the file that no package may hold so. */
export async function readContents(
  archive: Archive,
  classApplications: (classPath: readonly string[]) => Promise<ContainedApp[]>,
): Promise<PackageContents> {
  const manifest = packageManifest(parseManifest(await required(archive, manifestName)));
  const files = await packageFiles(archive);
  const properties = await propertiesIn(archive, propertiesFile);
  requireRoom(archive, files);
  await inSlices(files.configs, (file) => propertiesIn(archive, `conf/${file}`));

  const applications = await inSlices(files.appJsonFiles, (file) => jsonApplication(archive, file));
  for (const file of files.appPropertiesFiles) {
    const name = file.slice(0, -'.properties'.length);
    applications.push({ name, file, type: 'properties', displayName: name });
  }
  applications.push(...(await classApplications(manifest.classPath)));

  const applicationProperties = await inSlices(files.ofApplications, async ([application, file]) => ({
    application,
    properties: await propertiesIn(archive, file),
  }));

  const ui = await uiIn(archive, files.dashboards);
  const services = await jsonIn(archive, servicesFile, PackageServices);
  const { appJars, appJsonFiles, appPropertiesFiles, configs } = files;
  return bounded({
    manifest: { ...manifest, classPath: [...manifest.classPath] },
    applications,
    appJars,
    appJsonFiles,
    appPropertiesFiles,
    configs,
    properties,
    applicationProperties,
    ...(ui ? { ui } : {}),
    ...(services ? { services } : {}),
  });
}

/** One after the other. What lies in memory is read without a turn of the event loop, so many would be one long stop. */
async function inSlices<T, R>(all: Iterable<T>, read: (one: T) => Promise<R>): Promise<R[]> {
  const slice = timeSlice();
  const found: R[] = [];
  for (const one of all) {
    found.push(await read(one));
    if (slice.isOver()) await slice.next();
  }
  return found;
}

async function required(archive: Archive, name: string): Promise<Buffer> {
  const content = await optional(archive, name, maxManifestBytes);
  if (content) return content;
  throw new BadRequest('NOT_A_PACKAGE', `There is no ${name}: this is not an application package`);
}

async function optional(archive: Archive, name: string, maxBytes: number): Promise<Buffer | undefined> {
  const entry = archive.entry(name);
  return entry && small(archive, entry, maxBytes);
}

/** A file that is too large makes the package a bad one, not the upload too large. */
async function small(archive: Archive, entry: ArchiveEntry, maxBytes: number): Promise<Buffer> {
  try {
    return await archive.read(entry, maxBytes);
  } catch (error) {
    if (error instanceof TooLarge)
      throw new BadRequest('PACKAGE_LIMIT', `${entry.name} is larger than ${maxBytes} bytes`);
    throw error;
  }
}

/** Before the many are read: what they hold is kept together. */
function requireRoom(archive: Archive, { ofApplications }: PackageFiles): void {
  let bytes = 0;
  for (const name of [propertiesFile, ...ofApplications.values()]) bytes += archive.entry(name)?.size ?? 0;
  if (bytes > maxContentsBytes) {
    throw new BadRequest(
      'PACKAGE_LIMIT',
      `The properties in META-INF have more than ${maxContentsBytes} bytes together`,
    );
  }
}

async function propertiesIn(archive: Archive, name: string): Promise<ConfigProperty[]> {
  const content = await optional(archive, name, defaultXmlLimits.maxBytes);
  return content ? parseConfiguration(content, name) : [];
}

/** Which classes are applications: `Launcher.classes`. */
export type ApplicationClasses = NonNullable<Launcher['classes']>;

/** A jar that is broken costs only its applications. */
export async function classApplications(
  archive: Archive,
  classPath: readonly string[],
  { jars, classes }: { readonly jars: JarReader; readonly classes: ApplicationClasses },
): Promise<ContainedApp[]> {
  const source = jarSource(archive);
  const { signal } = new AbortController();
  const found =
    classes === 'main'
      ? await jars.programs(source, signal)
      : await jars.applications(source, classPath, signal);
  return found.map(({ className, ...app }) => ({
    ...app,
    type: 'class',
    ...(className === '' ? {} : { className }),
  }));
}

/** One that is broken costs only itself; one that is too deep or too large to be looked at costs the package. */
async function jsonApplication(archive: Archive, file: string): Promise<ContainedApp> {
  const path = `app/${file}`;
  const name = file.slice(0, -'.json'.length);
  const content = (await optional(archive, path, maxJsonBytes)) ?? Buffer.alloc(0);
  const app = { name, file, type: 'json', displayName: name } as const;
  try {
    const { displayName } = Named.parse(parsed(content, path), issueSentences);
    return { ...app, ...(displayName ? { displayName } : {}) };
  } catch (error) {
    if (error instanceof BadRequest) throw error;
    const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return { ...app, error: reasonIn(error), errorStackTrace: traceOf(message, file) };
  }
}

const Named = z.looseObject({ displayName: z.string().max(maxListedBytes).optional() });
const firstLine = (text: string): string => text.split('\n')[0] ?? text;
const reasonIn = (error: unknown): string =>
  error instanceof z.ZodError
    ? error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; ')
    : firstLine(error instanceof Error ? error.message : String(error));

async function uiIn(archive: Archive, dashboards: readonly string[]): Promise<PackageUi | undefined> {
  const told = await jsonIn(archive, uiFile, PackageUi);
  if (told || dashboards.length === 0) return told;
  return {
    dashboards: dashboards.map((file) => ({
      name: file.replace(/\.[^.]+$/, ''),
      file: `dashboards/${file}`,
      appNames: [],
    })),
  };
}

async function jsonIn<T>(archive: Archive, name: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const content = await optional(archive, name, maxListedBytes);
  if (!content) return undefined;
  try {
    return schema.parse(parsed(content, name), issueSentences);
  } catch (error) {
    if (error instanceof BadRequest) throw error;
    const why = error instanceof z.ZodError ? z.prettifyError(error) : error;
    throw new BadRequest(
      'PACKAGE_FILE_NOT_VALID',
      `${name} can't be used: ${why instanceof Error ? why.message : why}`,
    );
  }
}

/** Throws `BadRequest` for what may not even be parsed, and what parsing throws otherwise. */
function parsed(content: Buffer, name: string): unknown {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  const { maxDepth, maxValues } = defaultJsonLimits;
  const { depth, values } = sizeOf(text, defaultJsonLimits);
  if (depth > maxDepth)
    throw new BadRequest('PACKAGE_LIMIT', `${name} is nested deeper than ${maxDepth} levels`);
  if (values > maxValues)
    throw new BadRequest('PACKAGE_LIMIT', `${name} holds more than ${maxValues} values`);
  try {
    return parseJson(text, defaultJsonLimits);
  } catch (error) {
    throw new SyntaxError(
      `${name}: ${error instanceof Error ? error.message.replace('The body is', 'it is') : error}`,
    );
  }
}

function bounded(contents: PackageContents): PackageContents {
  if (JSON.stringify(contents).length > maxContentsBytes) {
    throw new BadRequest(
      'PACKAGE_LIMIT',
      `What the package tells about itself takes more than ${maxContentsBytes} characters`,
    );
  }
  return contents;
}

/** For what nobody has a longer story of. */
export const traceOf = (error: string, file: string): string => `${error}\n    in app/${file}`;
