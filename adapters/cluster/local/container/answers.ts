import type { Question } from '../protocol.js';
import type { Deployment } from './deployment.js';

/** What a running container tells when it is asked. Throws what the asker is told. */
export function answer(question: Question, deployment: Deployment | undefined): unknown {
  switch (question.what) {
    case 'properties':
      return nodeOf(question.operatorId, deployment).properties;
  }
}

function nodeOf(operatorId: string, deployment: Deployment | undefined) {
  const node = deployment?.nodes.find(({ id }) => id === operatorId);
  if (!node) throw new Error(`The operator ${operatorId} is not deployed here now`);
  return node;
}
