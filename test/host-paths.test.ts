import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { testFolder } from './helpers/folder.js';
import { configuration, packageOf } from './helpers/packages.js';
import { run } from './helpers/processes.js';

// Paths among options are those of the directory in which the host gave them, whatever it does later.

const program = fileURLToPath(new URL('./host-paths-program.js', import.meta.url));

const copies = `
import { Operator } from '@headgate/operators';
import { z } from 'zod';
export class Copy extends Operator {
  static className = 'paths.Copy';
  static properties = z.object({});
  static inputs = { in: { type: 'string' } };
  static outputs = { out: { type: 'string' } };
  process(_port, tuple) {
    this.emit('out', tuple);
  }
}`;
const end = (operatorName: string, portName: string) => ({ operatorName, portName });
const application = {
  operators: [
    { name: 'lines', class: 'headgate.io.FileLines', properties: { follow: false } },
    { name: 'copy', class: 'paths.Copy' },
    { name: 'files', class: 'headgate.io.FileOutput', properties: { name: 'copied.log' } },
  ],
  streams: [
    { name: 'read', source: end('lines', 'output'), sinks: [end('copy', 'in')] },
    { name: 'copied', source: end('copy', 'out'), sinks: [end('files', 'input')] },
  ],
};

/** A folder as hosts begin in it, and another. */
function twoFolders(t: Parameters<typeof testFolder>[0]) {
  const folder = testFolder(t, { here: { in: { 'lines.txt': 'one\ntwo\n' }, import: {} }, elsewhere: {} });
  const here = join(folder, 'here');
  mkdirSync(join(here, 'out'));
  writeFileSync(
    join(here, 'import', 'copy.apa'),
    packageOf({ name: 'copy' }, { 'app/copy.json': JSON.stringify(application), 'lib/copy.mjs': copies }),
  );
  writeFileSync(join(here, 'user-site.xml'), configuration({ 'from.user': 'read' }));
  return { here, elsewhere: join(folder, 'elsewhere') };
}

t.test('a host gives relative paths, and works in another directory afterwards', async (t) => {
  const { here, elsewhere } = twoFolders(t);
  const args = [program, elsewhere, join(here, 'in', 'lines.txt'), join(here, 'out')];
  const printed = await run(process.execPath, args, { cwd: here });
  t.strictSame(JSON.parse(printed), {
    own: ['paths.Copy'],
    user: 'read',
    finalStatus: 'SUCCEEDED',
    diagnostics: '',
    service: 'RUNNING',
  });
  t.strictSame(readdirSync(elsewhere), [], 'nothing is elsewhere');
  t.strictSame(readdirSync(join(here, 'data')).toSorted(), ['conf', 'engine', 'services', 'storage']);
  t.match(readFileSync(join(here, 'data/conf/platform-site.xml'), 'utf8'), /made\.here/);
  t.match(readFileSync(join(here, 'out', 'copied.000001.log'), 'utf8'), 'one\ntwo\n');
});
