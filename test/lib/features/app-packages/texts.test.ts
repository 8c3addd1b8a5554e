import t from 'tap';
import {
  parseConfiguration,
  propertySets,
  type XmlLimits,
} from '../../../../lib/features/app-packages/config-xml.js';
import { packageManifest, parseManifest } from '../../../../lib/features/app-packages/manifest.js';

const manifest = (text: string) => Object.fromEntries(parseManifest(Buffer.from(text)));

t.test('a manifest', async (t) => {
  const table: readonly [what: string, text: string, attributes: Record<string, string>][] = [
    ['nothing', '', {}],
    ['LF', 'A: 1\nB: 2\n', { a: '1', b: '2' }],
    ['CRLF', 'A: 1\r\nB: 2\r\n', { a: '1', b: '2' }],
    ['CR', 'A: 1\rB: 2\r', { a: '1', b: '2' }],
    ['no line end at the end', 'A: 1', { a: '1' }],
    [
      'continued',
      'Class-Path: lib/a.jar lib\n /b.jar\r\n  lib/c.jar\n',
      { 'class-path': 'lib/a.jar lib/b.jar lib/c.jar' },
    ],
    ['only the main section', 'A: 1\n\nName: x\nA: 2\n', { a: '1' }],
    ['names know no case, the last counts', 'dt-APP: 1\nDT-App: 2\n', { 'dt-app': '2' }],
    ['colons and blanks in a value', 'A: b: c  \n', { a: 'b: c  ' }],
    ['an empty value', 'A: \n', { a: '' }],
  ];
  for (const [what, text, attributes] of table) t.strictSame(manifest(text), attributes, what);

  // Lines end after 72 bytes, also in the middle of a character.
  const name = `A: ${'x'.repeat(68)}é and more`;
  const bytes = Buffer.from(name);
  const folded = Buffer.concat([bytes.subarray(0, 72), Buffer.from('\r\n '), bytes.subarray(72)]);
  t.equal(parseManifest(folded).get('a'), name.slice(3));

  const bad: readonly [text: string, says: RegExp][] = [
    [' A: 1\n', /MANIFEST\.MF, line 1: it continues a line/],
    ['A: 1\nno colon\n', /MANIFEST\.MF, line 2: it is not of the form/],
    ['A:1\n', /line 1: it is not of the form/],
    ['A b: 1\n', /line 1: it is not of the form/],
    ['PK\u0003\u0004', /line 1/],
    ['A: 1\0\n', /line 1: it holds a NUL/],
  ];
  for (const [text, says] of bad)
    t.throws(() => manifest(text), { message: says, status: 400 }, String(says));
});

t.test('what the manifest of a package tells', async (t) => {
  const lines = {
    'DT-App-Package-Name': 'pi',
    'dt-app-package-version': '1.0',
    'Class-Path': 'lib/*.jar  lib/b.jar',
  };
  const told = (changes: Record<string, string> = {}) =>
    packageManifest(
      parseManifest(
        Buffer.from(
          Object.entries({ ...lines, ...changes })
            .map(([key, value]) => `${key}: ${value}\n`)
            .join(''),
        ),
      ),
    );
  t.strictSame(told(), {
    appPackageName: 'pi',
    appPackageVersion: '1.0',
    classPath: ['lib/*.jar', 'lib/b.jar'],
  });
  t.strictSame(
    told({
      'DT-App-Package-Group-Id': 'org.x',
      'DT-Engine-Version': '3.6.0',
      'DT-App-Package-Display-Name': 'Pi!',
      'DT-App-Package-Description': 'The number',
    }),
    {
      ...told(),
      appPackageGroupId: 'org.x',
      engineVersion: '3.6.0',
      appPackageDisplayName: 'Pi!',
      appPackageDescription: 'The number',
    },
  );
  const missing = { message: /lacks DT-App-Package-Name, Class-Path: this is not an application package/ };
  t.throws(() => told({ 'DT-App-Package-Name': ' ', 'Class-Path': '' }), missing);
  for (const name of ['a/b', '..', '.', 'a\\b', 'a\tb', 'x'.repeat(201)]) {
    t.throws(() => told({ 'DT-App-Package-Name': name }), { message: /can't be part of an address/ }, name);
  }
});

const parsed = (text: string, limits: Partial<XmlLimits> = {}) =>
  parseConfiguration(Buffer.from(text), 'conf/x.xml', limits);

t.test('a configuration', async (t) => {
  const property = (inner: string) => `<configuration><property>${inner}</property></configuration>`;
  const table: readonly [what: string, text: string, properties: object[]][] = [
    ['empty', '<configuration/>', []],
    [
      'all that a property has',
      `<?xml version="1.0" encoding="UTF-8"?>\n<!-- a comment -->
       <?xml-stylesheet href="x.xsl"?>
       ${property('<name> a </name>\n<value>\n1 </value><description>one</description><final>true</final>')}`,
      [{ name: 'a', value: '1', description: 'one' }],
    ],
    [
      'no value: required',
      property('<name>a</name><description>d</description>'),
      [{ name: 'a', description: 'd' }],
    ],
    ['an empty value is one', property('<name>a</name><value/>'), [{ name: 'a', value: '' }]],
    ['a blank value is empty', property('<name>a</name><value> </value>'), [{ name: 'a', value: '' }]],
    ['no name: skipped', property('<value>1</value>'), []],
    ['an empty name: skipped', property('<name> </name><value>1</value>'), []],
    [
      'attributes have no description',
      property('<name>x.attr.A</name><value>1</value><description>d</description>'),
      [{ name: 'x.attr.A', value: '1' }],
    ],
    [
      'CDATA and entities',
      property('<name>a</name><value><![CDATA[<b>&]]>&lt;&amp;&#65;&#x42;</value>'),
      [{ name: 'a', value: '<b>&<&AB' }],
    ],
    [
      'the last counts',
      '<configuration><property><name>a</name><value>1</value></property><property><name>b</name></property><property><name>a</name></property></configuration>',
      [{ name: 'b' }, { name: 'a' }],
    ],
    [
      'other elements are passed over',
      '<configuration><x><name>a</name></x><property><name>a</name><y>z</y></property></configuration>',
      [{ name: 'a' }],
    ],
    [
      'in many pieces',
      `<configuration>${'<!-- ü𝄞 -->'.repeat(9_000)}<property><name>a</name><value>${'b𝄞'.repeat(10_000)}</value></property></configuration>`,
      [{ name: 'a', value: 'b𝄞'.repeat(10_000) }],
    ],
    ['a byte order mark', `\ufeff${property('<name>a</name>')}`, [{ name: 'a' }]],
  ];
  for (const [what, text, properties] of table) t.strictSame(await parsed(text), properties, what);
});

t.test('what is no configuration is a 400 with the line', async (t) => {
  const bad: readonly [text: string, says: RegExp, limits?: Partial<XmlLimits>][] = [
    ['', /conf\/x\.xml, line 1/],
    ['{"json": true}', /conf\/x\.xml, line 1/],
    ['<configuration>\n<property>\n', /line 3: Unclosed root tag/],
    ['<configuration>\n</other>', /line 2: Unexpected close tag/],
    ['<configuration>\n<a b=1/></configuration>', /line 2: Unquoted attribute/],
    ['<configuration/>\ntext', /line 2: Text data outside/],
    ['<configuration/>\n<configuration/>', /line 2: there is a second root/],
    ['<settings/>', /line 1: the root is <settings>, not <configuration>/],
    ['<!DOCTYPE configuration>\n<configuration/>', /line 1: a document type/],
    [
      '<!DOCTYPE c [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<configuration>&a;</configuration>',
      /line 1: a document type/,
    ],
    [
      '<!DOCTYPE c [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]><configuration>&b;</configuration>',
      /a document type/,
    ],
    [
      '<configuration>\n<property><name>&foo;</name></property></configuration>',
      /line 2: Invalid character entity/,
    ],
    ['<configuration><property><name>&nbsp;</name></property></configuration>', /Invalid character entity/],
    ['<?xml version="1.0" encoding="UTF-16"?><configuration/>', /encoding is UTF-16/],
    [`<configuration>${'<a>'.repeat(16)}`, /nested deeper than 16/],
    [`<configuration>${'<a/>'.repeat(5_000)}</configuration>`, /more than 5000 elements/],
    ['<configuration><property/></configuration>', /larger than 20 bytes/, { maxBytes: 20 }],
  ];
  for (const [text, says, limits] of bad) {
    await t.rejects(parsed(text, limits), { message: says, status: 400 }, String(says));
  }
  await t.rejects(parseConfiguration(Buffer.from([0x3c, 0xff]), 'f', {}), { message: /f is not UTF-8/ });
});

t.test('required and default properties, in layers', async (t) => {
  const own = [{ name: 'a' }, { name: 'b', value: '1' }, { name: 'c', value: '' }];
  const { required, defaults } = propertySets(own);
  t.strictSame([...required.keys()], ['a']);
  t.strictSame([...defaults.keys()], ['b', 'c']);
  const layered = propertySets(own, [{ name: 'a', value: '2' }, { name: 'd' }]);
  t.strictSame([...layered.required.keys()], ['d']);
  t.strictSame(
    [...layered.defaults].map(([name, { value }]) => [name, value]),
    [
      ['b', '1'],
      ['c', ''],
      ['a', '2'],
    ],
  );
});
