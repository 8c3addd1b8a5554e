import type { DefinitionProblem, SqlApplication } from 'headgate/driver-kit';
import { fillsTable, optionNamed, readStatement } from '../sql/statements.js';
import { problemOfProperty } from './launch-properties.js';

/** What may stand before the statement that makes the job. */
const preparing = ['CREATE', 'DROP', 'ALTER', 'USE', 'SET', 'RESET', 'LOAD', 'UNLOAD', 'ADD'];

/** What can be told of an application in SQL without Flink: that it comes to one job, which its last statement makes. */
export function sqlProblems({ properties = {}, statements }: SqlApplication): DefinitionProblem[] {
  const last = statements.length - 1;
  return [
    ...Object.keys(properties).flatMap((name) => {
      const message = problemOfProperty(name);
      return message === undefined ? [] : [{ path: `properties.${name}`, message }];
    }),
    ...(last < 0 ? [{ path: 'statements', message: 'there is none: the last one makes the job' }] : []),
    ...statements.flatMap((statement, index) => {
      const message = problemOf(statement, index === last);
      return message === undefined ? [] : [{ path: `statements.${index}`, message }];
    }),
  ];
}

function problemOf(sql: string, isLast: boolean): string | undefined {
  const { keyword, makesJob, isSeveral } = readStatement(sql);
  if (keyword === '') return 'is no statement';
  if (isSeveral) return 'holds more than one statement: write each as a text of its own';
  if (isLast)
    return makesJob
      ? undefined
      : `begins with ${shortened(keyword)}, and the last statement makes the job: INSERT, or EXECUTE STATEMENT SET BEGIN ... END`;
  if (makesJob || fillsTable(sql))
    return 'makes a job, as only the last statement may: put all INSERTs into one EXECUTE STATEMENT SET BEGIN ... END';
  if (!preparing.includes(keyword))
    return `begins with ${shortened(keyword)}: before the last statement there may be ${preparing.join(', ')}`;
  return keyword.endsWith('SET') ? problemOfSetting(sql) : undefined;
}

function problemOfSetting(sql: string): string | undefined {
  const name = optionNamed(sql);
  if (name === '') return 'names no option: write SET with a name and a value, RESET with a name';
  const problem = problemOfProperty(name);
  return problem === undefined ? undefined : `${shortened(name)} ${problem}`;
}

const shortened = (text: string): string => text.slice(0, 40);
