// What Flink's own scripts say to every JVM (`env.java.opts.all` of its distribution).

const opened = [
  'java.lang',
  'java.lang.reflect',
  'java.io',
  'java.net',
  'java.nio',
  'java.text',
  'java.time',
  'java.util',
  'java.util.concurrent',
  'java.util.concurrent.atomic',
  'java.util.concurrent.locks',
  'sun.nio.ch',
];
const exported = ['sun.net.util', 'sun.rmi.registry', 'sun.security.krb5'];
/** Where those packages are. */
const moduleOf = (name: string): string =>
  ({ 'sun.rmi.registry': 'java.rmi', 'sun.security.krb5': 'java.security.jgss' })[name] ?? 'java.base';

export const accessOptions: readonly string[] = [
  ...exported.map((name) => `--add-exports=${moduleOf(name)}/${name}=ALL-UNNAMED`),
  ...opened.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`),
];
