import fc from 'fast-check';
import t from 'tap';
import { readHadoopXml } from '../../../lib/formats/hadoop-xml.js';
import {
  editHadoopXml,
  emptyConfiguration,
  type PropertyEdit,
} from '../../../lib/formats/hadoop-xml-edit.js';

async function edited(text: string, ...edits: PropertyEdit[]): Promise<string> {
  return editHadoopXml(text, await readHadoopXml(text, 'a.xml'), edits);
}

async function valuesIn(text: string): Promise<Record<string, string | undefined>> {
  const { properties } = await readHadoopXml(text, 'a.xml');
  return Object.fromEntries(properties.map(({ name, value }) => [name, value]));
}

const file = `<?xml version="1.0"?>
<!-- written by hand -->
<configuration xmlns:xi="http://www.w3.org/2001/XInclude">
  <xi:include href="more.xml"/>
  <property>
    <name>a</name> <!-- why -->
    <value>1</value>
    <source>ops</source>
  </property>
  <!-- before b -->
  <property><name>b</name><final>true</final><value>x &amp; y</value></property>
\t<property><name>c</name></property>
</configuration>
<!-- the end -->
`;

t.test('a change touches its own lines and no others', async (t) => {
  const rows: readonly [name: string, edit: PropertyEdit, from: string, to: string][] = [
    ['a value', { name: 'a', set: { value: '<2>' } }, '<value>1</value>', '<value>&lt;2&gt;</value>'],
    [
      'with a description',
      { name: 'a', set: { value: '2', description: 'why & how' } },
      '<name>a</name> <!-- why -->\n    <value>1</value>',
      '<name>a</name>\n    <description>why &amp; how</description> <!-- why -->\n    <value>2</value>',
    ],
    ['on one line', { name: 'b', set: { value: 'z' } }, '<value>x &amp; y</value>', '<value>z</value>'],
    [
      'one without a value',
      { name: 'c', set: { value: '3' } },
      '<name>c</name>',
      '<name>c</name>\n<value>3</value>',
    ],
    [
      'removed',
      { name: 'a' },
      file.slice(file.indexOf('  <property>\n'), file.indexOf('  <!-- before b')),
      '',
    ],
    ['removed from its line', { name: 'c' }, '\t<property><name>c</name></property>\n', ''],
    [
      'added',
      { name: 'd', set: { value: '4' } },
      '</configuration>',
      '  <property>\n    <name>d</name>\n    <value>4</value>\n  </property>\n</configuration>',
    ],
    ['what is not there', { name: 'nix' }, 'nothing', ''],
  ];
  for (const [name, edit, from, to] of rows) t.equal(await edited(file, edit), file.replace(from, to), name);
});

t.test('other shapes of a file', async (t) => {
  const add = { name: 'n', set: { value: 'v' } };
  const property = '  <property>\n    <name>n</name>\n    <value>v</value>\n  </property>\n';
  t.equal(await edited('<configuration/>', add), `<configuration>\n${property}</configuration>`);
  t.equal(
    await edited('<configuration></configuration>', add),
    `<configuration>\n${property}</configuration>`,
  );
  t.equal(
    await edited('<configuration>\r\n</configuration>\r\n', add),
    `<configuration>\r\n${property.replaceAll('\n', '\r\n')}</configuration>\r\n`,
    'lines end as they do',
  );
  const twice = await edited(
    '<configuration>\n<property><name>n</name><value>1</value></property>\n<property><name>n</name><value>2</value><value>3</value></property>\n</configuration>',
    add,
  );
  t.match(twice, '<value>1</value>', 'the first does not count');
  t.equal((await valuesIn(twice))['n'], 'v');
  t.strictSame(await valuesIn(await edited(twice, { name: 'n' })), {}, 'all of it go');
});

t.test('whatever is set is read back, and what was not named stays', async (t) => {
  const text = fc
    .string({
      unit: fc.constantFrom('a', 'ß', '𝒳', '<', '>', '&', '"', "'", ']]>', '\n', '\r', ' ', '&amp;', '-->'),
    })
    .map((value) => `x${value}x`);
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const edit = fc.record({ name, set: fc.option(fc.record({ value: text }), { nil: undefined }) });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(file, emptyConfiguration),
      fc.array(edit, { maxLength: 8 }),
      async (start, edits) => {
        let present: string = start;
        const wanted = await valuesIn(start);
        for (const { name, set } of edits) {
          present = await edited(present, set ? { name, set } : { name });
          if (set) wanted[name] = set.value;
          else delete wanted[name];
        }
        t.strictSame(await valuesIn(present), wanted);
        if (start === file) t.match(present, '<!-- before b -->');
      },
    ),
    { numRuns: 200 },
  );
});
