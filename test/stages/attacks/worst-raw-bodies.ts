import type { ListedRoute } from '../../../lib/http/table.js';
import { packageOfEntries, packageWithDirectory } from '../../helpers/large-directories.js';
import { manifest, packageOf } from '../../helpers/packages.js';
import { zipBytes } from '../../helpers/zip-bytes.js';

// The worst bodies of routes that take no JSON: the largest that are right, and those that cost most before they are refused.

export interface WorstRawBody {
  readonly what: string;
  readonly body: Buffer;
}

const kibi = 1024;
const mebi = 1024 * kibi;

/** So many bytes of this over and over. */
const filled = (bytes: number, part: string): string =>
  part.repeat(Math.floor(bytes / Buffer.byteLength(part)));

/** Configurations as Hadoop writes them, of up to 256 KiB: few kinds of things, each as often as there is room. */
export function* worstXml(): Generator<WorstRawBody> {
  const room = 255 * kibi;
  const within = (content: string) => `<configuration>${content}</configuration>`;
  const property = (content: string) => within(`<property>${content}</property>`);
  const shapes: Readonly<Record<string, string>> = {
    '1,600 properties': within(
      Array.from(
        { length: 1_600 },
        (_, i) => `<property><name>key.${i}</name><value>${'v'.repeat(80)}</value></property>`,
      ).join(''),
    ),
    'a property of 4,900 names': property('<name>a</name>'.repeat(4_900)),
    'a property of 4,900 empty fields': property('<a/>'.repeat(4_900)),
    'more elements than there may be': within(filled(room, '<a/>')),
    'one long value': property(`<name>a</name><value>${filled(room - 100, 'v')}</value>`),
    'a value of references': property(`<name>a</name><value>${filled(room - 100, '&amp;')}</value>`),
    'a value of numbered references': property(`<name>a</name><value>${filled(room - 100, '&#65;')}</value>`),
    'a value of sections': property(`<name>a</name><value>${filled(room - 100, '<![CDATA[a]]>')}</value>`),
    'a value of sections that seem to end': property(
      `<name>a</name><value><![CDATA[${filled(room - 200, ']]')}]]></value>`,
    ),
    'a value of blanks': property(
      `<name>a</name><value>${filled(room - 100, ' ')}x${' '.repeat(50)}</value>`,
    ),
    'a value of lines': property(`<name>a</name><value>${filled(room - 100, '\n')}x</value>`),
    'blanks before the root': `${filled(room - 100, ' ')}${within('')}`,
    comments: within(filled(room, '<!---->')),
    'a comment of dashes': within(`<!-- ${filled(room - 100, '- ')}-->`),
    instructions: within(filled(room, '<?a b?>')),
    'an instruction that looks like an encoding': `<?xml ${filled(room - 100, 'encoding = ')}?>${within('')}`,
    'an instruction of blanks': `<?xml encoding${filled(room - 100, ' ')}?>${within('')}`,
    attributes: `<configuration ${Array.from({ length: 20_000 }, (_, i) => `a${i}=""`).join(' ')}/>`,
    'a long attribute': `<configuration a="${filled(60 * kibi, 'a')}"/>`,
    'a long name of an element': within(`<${filled(60 * kibi, 'a')}/>`),
    'deep elements': filled(room, '<a>'),
    'deep elements of its own': filled(room, '<configuration>'),
    brackets: filled(room, '<'),
    'wrong at the end': `${within(filled(room, '<!---->'))}<`,
    'a forbidden character behind many lines': within(`${filled(room, '\n')}\u0001`),
    'no XML': filled(room, 'a'),
    'no UTF-8': '',
    'a document type': `<!DOCTYPE a [${filled(room, '<!ENTITY a "b">')}]>${within('')}`,
  };
  for (const [what, text] of Object.entries(shapes))
    yield { what, body: what === 'no UTF-8' ? Buffer.alloc(room, 0xff) : Buffer.from(text) };
  yield { what: 'more than there is room for', body: Buffer.alloc(2 * mebi, '<a/>') };
}

/** Licenses are three parts with dots between them, of up to 64 KiB. */
export function* worstText(): Generator<WorstRawBody> {
  const room = 63 * kibi;
  const head = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = { alg: 'EdDSA', kid: 'x' };
  const shapes: Readonly<Record<string, string>> = {
    dots: filled(room, '.'),
    blanks: filled(room, ' '),
    'blanks and letters': filled(room, 'a '),
    letters: filled(room, 'é'),
    'a long head': `${head({ ...signed, kid: filled(45 * kibi, 'k') })}.a.a`,
    'a head of many members': `${head(Object.fromEntries(Array.from({ length: 2_500 }, (_, i) => [`key${i}`, 1])))}.a.a`,
    'a deep head': `${Buffer.from(filled(45 * kibi, '[')).toString('base64url')}.a.a`,
    'a long payload': `${head(signed)}.${filled(60 * kibi, 'a')}.a`,
    'a long signature': `${head(signed)}.a.${filled(60 * kibi, 'a')}`,
  };
  for (const [what, text] of Object.entries(shapes)) yield { what, body: Buffer.from(text) };
  yield { what: 'more than there is room for', body: Buffer.alloc(2 * mebi, 'a') };
}

const jsonOf = (value: unknown) => JSON.stringify(value);
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** Packages of applications: archives that are large in one way each. */
export function* worstPackages(): Generator<WorstRawBody> {
  const properties = [...worstXml()].filter(({ what }) => !what.startsWith('more'));
  const application = (i: number, count: number) =>
    jsonOf({
      displayName: `a${i}`,
      operators: many(count, (k) => ({ name: `o${k}`, class: 'headgate.io.Timer', properties: { a: 'x' } })),
      streams: many(count - 1, (k) => ({
        source: { operatorName: `o${k}`, portName: 'output' },
        sinks: [{ operatorName: `o${k + 1}`, portName: 'input' }],
      })),
    });
  const files = (entries: readonly (readonly [string, string | Buffer])[]) =>
    packageOf({}, Object.fromEntries(entries));
  yield { what: 'no archive', body: Buffer.alloc(8 * mebi, 'PK\u0003\u0004') };
  yield { what: 'an archive of nothing', body: zipBytes({ entries: [] }) };
  yield { what: '99,000 entries', body: packageOfEntries(99_000) };
  yield { what: 'a directory of 62 MiB', body: packageWithDirectory(62 * mebi) };
  yield {
    what: 'an end record in each piece of a comment',
    body: zipBytes({ entries: [], comment: Buffer.alloc(65_535, 'PK\u0005\u0006') }),
  };
  yield {
    what: 'a long manifest',
    body: packageOf(
      {},
      {
        'META-INF/MANIFEST.MF': manifest(
          'sensors',
          '1.0.0',
          many(3_400, (i) => `Key-${i}: ${'v'.repeat(60)}`),
        ),
      },
    ),
  };
  yield {
    what: 'a manifest of one folded line',
    body: packageOf(
      {},
      {
        'META-INF/MANIFEST.MF': manifest('sensors', '1.0.0', [
          'A: b',
          ...many(4_000, () => ` ${'v'.repeat(60)}`),
        ]),
      },
    ),
  };
  yield {
    what: 'a manifest of class paths',
    body: packageOf(
      {},
      {
        'META-INF/MANIFEST.MF': `Manifest-Version: 1.0\r\nDT-App-Package-Name: sensors\r\nDT-App-Package-Version: 1.0.0\r\nClass-Path:${many(12_000, (i) => ` lib/${i}.jar\r\n `).join('')}\r\n\r\n`,
      },
    ),
  };
  for (const { what, body } of properties)
    yield { what: `properties: ${what}`, body: packageOf({}, { 'META-INF/properties.xml': body }) };
  yield {
    what: '1,000 configurations',
    body: files(many(1_000, (i) => [`conf/${i}.xml`, '<configuration/>'] as const)),
  };
  yield { what: 'an application of 700 operators', body: files([['app/one.json', application(0, 700)]]) };
  yield {
    what: '50 applications of 700 operators',
    body: files(many(50, (i) => [`app/${i}.json`, application(i, 700)] as const)),
  };
  yield {
    what: '1,000 applications',
    body: files(many(1_000, (i) => [`app/${i}.json`, application(i, 3)] as const)),
  };
  yield {
    what: 'an application of one megabyte of brackets',
    body: files([['app/one.json', filled(mebi - kibi, '[')]]),
  };
  yield {
    what: 'an application of one megabyte of keys',
    body: files([
      [
        'app/one.json',
        jsonOf({
          operators: [],
          streams: [],
          ...Object.fromEntries(many(9_900, (i) => [`key.${i}${'k'.repeat(90)}`, i])),
        }),
      ],
    ]),
  };
  yield {
    what: '1,000 applications by properties',
    body: files(
      many(1_000, (i) => [`app/${i}.properties`, `dt.application.a${i}.class=org.example.A${i}\n`] as const),
    ),
  };
  yield {
    what: 'services',
    body: files([
      [
        'resources/services.json',
        jsonOf({
          services: many(700, (i) => ({ name: `s${i}`, type: 'container', container: { run: 'x' } })),
          applications: [],
        }),
      ],
    ]),
  };
  yield {
    what: 'dashboards',
    body: files([
      [
        'resources/ui/ui.json',
        jsonOf({ dashboards: many(1_000, (i) => ({ name: `d${i}`, file: `${i}`, appNames: ['a'] })) }),
      ],
    ]),
  };
  yield {
    what: 'a jar of 10,000 classes',
    body: files([
      [
        'app/one.jar',
        zipBytes({
          entries: many(10_000, (i) => ({ name: `org/example/C${i}.class`, content: 'no class' })),
        }),
      ],
    ]),
  };
  yield {
    what: '1,000 jars',
    body: files(
      many(
        1_000,
        (i) =>
          [`lib/${i}.jar`, zipBytes({ entries: [{ name: `C${i}.class`, content: 'no class' }] })] as const,
      ),
    ),
  };
}

/** Configuration packages. */
export function* worstConfigPackages(): Generator<WorstRawBody> {
  const head = (more: readonly string[] = []) =>
    ['Manifest-Version: 1.0', 'DT-Conf-Package-Name: slow', ...more, '', ''].join('\r\n');
  const pack = (more: Readonly<Record<string, string | Buffer>>, lines: readonly string[] = []) =>
    zipBytes({
      entries: Object.entries({ 'META-INF/MANIFEST.MF': head(lines), ...more }).map(([name, content]) => ({
        name,
        content,
      })),
    });
  for (const { what, body } of worstXml())
    yield { what: `properties: ${what}`, body: pack({ 'META-INF/properties.xml': body }) };
  yield {
    what: 'a long manifest',
    body: pack(
      {},
      many(3_400, (i) => `Key-${i}: ${'v'.repeat(60)}`),
    ),
  };
  yield {
    what: '10,000 classes',
    body: pack(Object.fromEntries(many(10_000, (i) => [`classpath/${i}.class`, 'x']))),
  };
  yield { what: '10,000 files', body: pack(Object.fromEntries(many(10_000, (i) => [`files/${i}`, 'x']))) };
  yield { what: 'no archive', body: Buffer.alloc(8 * mebi, 'PK\u0003\u0004') };
  yield { what: 'a directory of 62 MiB', body: packageWithDirectory(62 * mebi) };
}

/** Of a route that takes no JSON, by its operation. */
export function worstRawBodies({ id }: ListedRoute): Generator<WorstRawBody> | undefined {
  if (id === 'putPackageConfig') return worstXml();
  if (id === 'addLicense') return worstText();
  if (id === 'uploadPackage') return worstPackages();
  if (id === 'uploadConfigPackage') return worstConfigPackages();
  return undefined;
}
