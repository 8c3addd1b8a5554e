import { type AnyNode, type Options, type Program, parse } from 'acorn';
import type { TopicPattern } from './condition.js';
import { type FieldPath, Reading } from './reading.js';
import { ScriptFault } from './script-fault.js';

/** What can be read out of a script before it runs. */
export interface Script {
  /** The body of a function of `_topic`. */
  readonly body: string;
  readonly topics: readonly TopicPattern[];
  /** Members of topics that are named outright, in the order of the text. */
  readonly fields: readonly FieldPath[];
}

/** Modules are strict, as conditions are; what else they bring is refused in `Reading`. */
const options: Options = {
  ecmaVersion: 2024,
  sourceType: 'module',
  locations: true,
  allowReturnOutsideFunction: true,
};

const maxTopics = 100;
const maxFields = 50;

/** Throws `ScriptFault`. */
export function readScript(text: string): Script {
  try {
    const program = parse(text, options);
    const reading = new Reading();
    reading.visit(program, 'value');
    if (reading.topics.size > maxTopics) throw new ScriptFault(`It names more than ${maxTopics} topics`);
    return {
      body: withReturn(text, program),
      topics: [...reading.topics.values()],
      fields: [...reading.fields.values()].slice(0, maxFields),
    };
  } catch (error) {
    throw faultOf(error);
  }
}

function faultOf(error: unknown): ScriptFault {
  if (error instanceof ScriptFault) return error;
  if (error instanceof RangeError) return new ScriptFault('It is nested too deeply');
  if (!(error instanceof SyntaxError)) throw error;
  const at = 'loc' in error && isPosition(error.loc) ? error.loc : undefined;
  return new ScriptFault(error.message.replace(/ \(\d+:\d+\)$/, ''), at);
}

const isPosition = (value: unknown): value is { line: number; column: number } =>
  typeof value === 'object' && value !== null && 'line' in value && 'column' in value;

/** A function gives what it returns; a script would have given the value of its last statement. */
function withReturn(text: string, program: Program): string {
  const places = returnPlaces(text, program.body.at(-1), program);
  let body = '';
  let from = 0;
  for (const { start, end } of places) {
    body += `${text.slice(from, start)}return (${text.slice(start, end)})`;
    from = end;
  }
  return body + text.slice(from);
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Where the expressions lie that may be the last to be evaluated, in the order of the text. */
function returnPlaces(text: string, last: AnyNode | null | undefined, around: AnyNode): Place[] {
  switch (last?.type) {
    case 'ExpressionStatement':
      // Of the statement: the expression's own place leaves its parentheses out.
      return [{ start: last.start, end: last.end - (text[last.end - 1] === ';' ? 1 : 0) }];
    case 'BlockStatement':
      return returnPlaces(text, last.body.at(-1), last);
    case 'IfStatement':
      return [
        ...returnPlaces(text, last.consequent, last),
        ...(last.alternate ? returnPlaces(text, last.alternate, last) : []),
      ];
    case 'TryStatement':
      return [
        ...returnPlaces(text, last.block, last),
        ...(last.handler ? returnPlaces(text, last.handler.body, last.handler) : []),
      ];
    case 'ReturnStatement':
    case 'ThrowStatement':
      return [];
    default:
      throw new ScriptFault(
        'The last statement must be an expression that gives true or false',
        (last ?? around).loc?.start,
      );
  }
}
