import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClassFile, flag, has, type Member, parseClassFile } from '../../../packages/jars/class-file.js';
import { classFilesIn, publishedJars } from './published.js';

// Makes the table of the engine's own types anew: `node build/test/stages/jars/engine-types.js`.

const file = 'packages/jars/engine-types.ts';

/** Without what is no ancestor of anything in a package, and no type of a property: plans, contexts, security. */
const isTold = (type: ClassFile): boolean =>
  has(type, flag.public) &&
  (type.flags & 0x2000) === 0 &&
  !/\$\d/.test(type.name) &&
  (!/\.api\.(DAG|Context)(\$|$)|\.common\.security/.test(type.name) ||
    /\.api\.(DAG\$GenericOperator|DAG\$Locality|Context|Context\$(Operator|Port|DAG)Context)$/.test(
      type.name,
    ));

function line(type: ClassFile): string {
  const { name, flags, superName, interfaces, signature, methods, fields } = type;
  const plain = [superName, ...interfaces].map((parent) => `L${parent?.replaceAll('.', '/')};`).join('');
  const ports = fields.filter(isPort);
  return [
    name,
    (flags & ~0x20).toString(16),
    signature ?? plain,
    ...methods
      .filter((method) => isAccessor(method) || (ports.length > 0 && isPlainConstructor(method)))
      .map(asText),
    ...ports.map((port) => `#${port.name}:${port.signature ?? port.descriptor}`),
    ...fields.filter((field) => has(field, flag.enum)).map((value) => `=${value.name}`),
  ].join(' ');
}

const asText = ({ name, signature, descriptor }: Member): string => name + (signature ?? descriptor);
const isPort = ({ descriptor }: Member): boolean =>
  /^Lcom\/datatorrent\/api\/Default(In|Out)putPort;$/.test(descriptor);
const isPlainConstructor = (method: Member): boolean =>
  method.name === '<init>' && method.descriptor === '()V' && has(method, flag.public);
const isAccessor = (method: Member): boolean =>
  has(method, flag.public) &&
  ((/^set/.test(method.name) && /^\((\[*[A-Z]|\[*L[^;]+;)\)V$/.test(method.descriptor)) ||
    (/^(get|is)/.test(method.name) && /^\(\)/.test(method.descriptor)));

/** The file as it should be for these jars. */
export async function engineTypesFile(jars: readonly string[]): Promise<string> {
  const classes = (await Promise.all(jars.map(classFilesIn))).flat().map(parseClassFile);
  const lines = classes
    .filter(isTold)
    .map(line)
    .sort((a, b) => (a < b ? -1 : 1));
  return `/**
 * The public types of the engine's own API, version 3.7.0, which packages need not bring: a line each with name, flags,
 * generic signature, getters and setters, ports (\`#\`) and values of enumerations (\`=\`).
 */
// Made by \`test/stages/jars/engine-types.ts\`, which \`npm run test:jars\` holds it against.
export const engineTypes = \`
${lines.join('\n')}
\`;
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { api, common } = await publishedJars();
  await writeFile(join(process.cwd(), file), await engineTypesFile([api, common]));
}
