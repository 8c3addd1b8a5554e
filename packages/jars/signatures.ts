import type { JavaType, TypeScope } from './java-type.js';
import { SignatureReader } from './signature-reader.js';

export interface ClassSignature {
  readonly variables: TypeScope;
  readonly superclass: JavaType;
  readonly interfaces: readonly JavaType[];
}

interface MethodSignature {
  readonly parameters: readonly JavaType[];
  readonly returns: JavaType;
}

const noVariables: TypeScope = new Map();

export function parseClassSignature(text: string): ClassSignature {
  const reader = new SignatureReader(text, noVariables);
  const variables = reader.variables();
  const superclass = reader.type();
  const interfaces: JavaType[] = [];
  while (!reader.isAtEnd()) interfaces.push(reader.type());
  return { variables, superclass, interfaces };
}

/** A signature, or a descriptor where there is none. */
export function parseMethodSignature(text: string, scope: TypeScope): MethodSignature {
  const reader = new SignatureReader(text, scope);
  reader.variables();
  reader.skip('(');
  const parameters: JavaType[] = [];
  while (!reader.isAt(')')) parameters.push(reader.type());
  reader.skip(')');
  return { parameters, returns: reader.type() };
}

/** A signature, or a descriptor where there is none. */
export const parseFieldSignature = (text: string, scope: TypeScope): JavaType =>
  new SignatureReader(text, scope).type();
