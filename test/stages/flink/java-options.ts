// What JVMs of Flink are told.

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

/** As Flink's own scripts do (`env.java.opts.all` of its distribution). */
export const accessOptions: readonly string[] = [
  ...exported.map((name) => `--add-exports=${moduleOf(name)}/${name}=ALL-UNNAMED`),
  ...opened.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`),
];

/** For one that lives some seconds: most of the processor's time would go into compiling what runs a few times. */
export const shortLived: readonly string[] = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** As those scripts start it, for who measures it. */
export const asDistributed: readonly string[] = ['-XX:+UseG1GC'];
