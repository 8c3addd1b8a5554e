import { BadRequest, type LaunchRequest, type PackageContent } from 'headgate/driver-kit';
import type { SqlPrograms } from './sql-program.js';

/** What a launch runs. */
interface Program {
  /** Absent: it is an application in SQL. */
  readonly entryClass?: string;
  readonly file: string;
  readonly content: PackageContent;
  /** Properties that everything else goes before. */
  readonly weakest?: Readonly<Record<string, string>>;
}

/** Throws `BadRequest` for an application that Flink does not run. */
export function programOf(
  { packaged, packageContent: content, sql }: LaunchRequest,
  programs: Pick<SqlPrograms, 'require'>,
): Program {
  if (sql && packaged && content) {
    programs.require(sql);
    return { file: packaged.file, content, weakest: sql.properties ?? {} };
  }
  if (packaged?.type === 'class' && packaged.className !== undefined && content)
    return { entryClass: packaged.className, file: packaged.file, content };
  const what = packaged ? `${JSON.stringify(packaged.name)} is ${described[packaged.type]}` : 'this is none';
  throw new BadRequest(
    'APPLICATION_TYPE_NOT_SUPPORTED',
    `Flink runs classes with a main method in jars of packages, and applications in SQL, and ${what}`,
  );
}

const described = {
  json: 'a definition of operators in JSON',
  properties: 'a file of properties',
  class: 'in a jar that can not be read',
};
