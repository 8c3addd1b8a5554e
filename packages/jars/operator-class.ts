import type { JarOperatorClass } from 'headgate/driver-kit';
import { defaultsOf } from './defaults.js';
import type { ClassText, Documentation } from './documentation.js';
import { type Classes, lineageOf } from './lineage.js';
import { portsOf } from './ports.js';
import { propertiesOf } from './properties.js';

export const genericOperator = 'com.datatorrent.api.DAG$GenericOperator';
const inputOperator = 'com.datatorrent.api.InputOperator';
const module = 'com.datatorrent.api.Module';

/**
 * A class that can be put into an application: it has an input port, or it needs none. `undefined` for others, and for
 * what its author does not want to be offered.
 */
export function operatorClass(
  name: string,
  jar: string | undefined,
  classes: Classes,
  documentation: Documentation,
): JarOperatorClass | undefined {
  const lineage = lineageOf(name, classes);
  const text = documentation.ofClass(name);
  const ports = portsOf(lineage, classes, documentation);
  const isA = (ancestor: string) => classes.graph.isA(name, ancestor);
  if (ports.inputPorts.length === 0 && !isA(inputOperator) && !isA(module)) return undefined;
  if (text?.tags.has('@omitFromUI')) return undefined;
  const properties = propertiesOf(lineage, classes, documentation);
  const defaultValue = defaultsOf(lineage, properties, classes);
  return {
    name,
    title: text?.tags.get('@displayName') ?? titleOf(name),
    ...texts(name, text),
    ...ports,
    properties,
    ...(Object.keys(defaultValue).length === 0 ? {} : { defaultValue }),
    ancestors: [...classes.graph.ancestors(name)].filter((ancestor) =>
      classes.graph.isA(ancestor, genericOperator),
    ),
    ...(jar === undefined ? {} : { jar }),
  };
}

function texts(name: string, text: ClassText | undefined) {
  if (!text) return {};
  const { comment, tags } = text;
  const paragraph = comment?.indexOf('<p>') ?? -1;
  const shortDesc = comment?.slice(0, paragraph < 0 ? undefined : paragraph).trim();
  const longDesc = comment !== undefined && paragraph >= 0 ? comment.slice(paragraph).trim() : undefined;
  const category = tags.get('@category');
  const doclink = tags.get('@doclink');
  const keywords = tags.get('@tags')?.split(',');
  return {
    ...(shortDesc ? { shortDesc } : {}),
    ...(longDesc ? { longDesc } : {}),
    ...(category ? { category } : {}),
    ...(doclink ? { doclink: `${doclink}?${pageOf(name)}` } : {}),
    ...(keywords
      ? { tags: keywords.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== '') }
      : {}),
  };
}

const pageOf = (name: string): string => `${name.replaceAll('.', '/').replaceAll('$', '.')}.html`;

/** `com.example.HDFSFileMerger` is an "HDFS file merger", `Outer$Inner` an "Inner". */
function titleOf(name: string): string {
  const words = name.replace(/^.*[.$]/, '').match(/[A-Z]+(?![a-z])[\d]*|[A-Z]?[a-z][a-z\d]*|\d+/g) ?? [name];
  return words.map((word, i) => (i === 0 || /^[A-Z]{2}/.test(word) ? word : word.toLowerCase())).join(' ');
}
