import type { Client } from '../../../lib/client.js';
import { flags, jarOf } from '../../helpers/class-bytes.js';
import { wordsPackage } from '../../helpers/full-gateway.js';
import { genericBase, operatorClasses } from '../../helpers/operator-jars.js';
import { configuration, packageOf } from '../../helpers/packages.js';
import { configPackage } from '../../helpers/rights/place.js';

export const wordy = { owner: 'admin', name: 'wordy', version: '1.0.0' };

/** Packages of applications and of configurations; that of `wordy` stays. */
export async function tourPackages(client: Client): Promise<void> {
  await client.uploadPackage({ body: wordsPackage(), query: { merge: 'fail' } });
  await client.listPackages();
  await client.getPackage({ params: wordy });
  await client.listPackageVersions({ params: wordy });
  await drained(await client.downloadPackage({ params: wordy }));
  const slow = { ...wordy, configName: 'slower.xml' };
  await client.putPackageConfig({
    params: slow,
    body: configuration({ 'apex.operator.source.prop.tuplesPerSecond': '10' }),
  });
  await client.listPackageConfigs({ params: wordy });
  await drained(await client.getPackageConfig({ params: slow }));
  await client.deletePackageConfig({ params: slow });
  const permissions = {
    readOnly: { users: [], roles: ['operator'], everyone: false },
    readWrite: { users: [], roles: [], everyone: false },
  };
  await client.putPackagePermissions({ params: wordy, body: permissions });
  await client.getPackagePermissions({ params: wordy });
  await tourApplicationsOf(client);
  await tourClasses(client);

  await client.uploadPackage({ body: wordsPackage('1.1.0') });
  const newer = { user: 'admin', appPackageName: 'wordy', appPackageVersion: '1.1.0' };
  await client.mergePackages({ params: newer, body: { version: '1.0.0', replaceExisting: true } });
  await client.deletePackage({ params: { ...wordy, version: '1.1.0' } });
  const { appPackages } = await client.listImportablePackages();
  await client.importPackages({ body: { files: appPackages.map(({ file }) => file) } });

  await client.uploadConfigPackage({ body: configPackage() });
  const config = { user: 'admin', name: 'slow' };
  await client.listConfigPackages();
  await client.listUsersConfigPackages({ params: config });
  await client.getConfigPackage({ params: config });
  await drained(await client.downloadConfigPackage({ params: config }));
  await client.deleteConfigPackage({ params: config });
}

async function tourApplicationsOf(client: Client): Promise<void> {
  await client.listPackageApplications({ params: wordy });
  const words = { ...wordy, appName: 'words' };
  const { fileContent } = await client.getPackageApplication({ params: words });
  await client.putPackageApplication({
    params: { ...wordy, appName: 'copy' },
    query: { errorIfExists: true },
    body: { displayName: 'A copy', operators: [], streams: [], ...Object(fileContent) },
  });
  await client.deletePackageApplication({ params: { ...wordy, appName: 'copy' } });
}

async function tourClasses(client: Client): Promise<void> {
  const jars = { ...wordy, name: 'jars' };
  await client.uploadPackage({
    body: packageOf({ name: 'jars' }, { 'app/jars.jar': jarOf([genericBase, ...operatorClasses]) }),
  });
  await client.listPackageOperators({ params: jars, query: { q: 'words' } });
  await client.getPackageOperator({ params: { ...jars, classname: 'org.example.Words' } });
  const { classSchemas } = await client.listClassSchemas({ params: jars });
  const [classSchemasName = ''] = classSchemas.flatMap(({ title }) =>
    typeof title === 'string' ? title : [],
  );
  await client.getClassSchema({ params: { ...jars, classSchemasName } });
}

/** On a cluster that tells plans of programs. */
export async function tourPlan(client: Client): Promise<void> {
  const main = { name: 'main', descriptor: '([Ljava/lang/String;)V', flags: flags.public | flags.static };
  const body = packageOf(
    { name: 'jobs' },
    { 'app/jobs.jar': jarOf([{ name: 'org.example.Words', methods: [main] }]) },
  );
  const { owner } = await client.uploadPackage({ body });
  await client.planPackageApplication({
    params: { owner, name: 'jobs', version: '1.0.0', appName: 'org.example.Words' },
    body: { 'flink.args': '--topic words', 'flink.parallelism': '2' },
  });
}

/** On a cluster that runs SQL. */
export async function tourSample(client: Client): Promise<void> {
  const sql = {
    kind: 'sql',
    statements: [
      "CREATE TABLE words (word STRING) WITH ('connector' = 'datagen')",
      "CREATE TABLE copies (word STRING) WITH ('connector' = 'print')",
      'INSERT INTO copies SELECT word FROM words',
    ],
  };
  const body = packageOf({ name: 'words' }, { 'app/copy.json': JSON.stringify(sql) });
  const { owner } = await client.uploadPackage({ body });
  await client.samplePackageApplication({
    params: { owner, name: 'words', version: '1.0.0', appName: 'copy' },
    body: { query: 'SELECT word FROM words', rows: 2 },
  });
}

export const drained = async (response: Response): Promise<ArrayBuffer> => response.arrayBuffer();
