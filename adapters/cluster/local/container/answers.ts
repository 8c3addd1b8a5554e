import type { Question } from '../protocol.js';
import type { Deployment } from './deployment.js';

/** What a running container tells when it is asked. Throws what the asker is told. */
export async function answer(question: Question, deployment: Deployment | undefined): Promise<unknown> {
  switch (question.what) {
    case 'properties':
      return nodeOf(question.operatorId, deployment).properties;
    case 'startRecording': {
      const node = nodeOf(question.operatorId, deployment);
      return deployment?.recorder.start(node, question.recording);
    }
    case 'stopRecording':
      return deployment?.recorder.stop(question.recordingId);
  }
}

function nodeOf(operatorId: string, deployment: Deployment | undefined) {
  const node = deployment?.nodes.find(({ id }) => id === operatorId);
  if (!node) throw new Error(`The operator ${operatorId} is not deployed here now`);
  return node;
}
