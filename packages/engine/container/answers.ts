import type { Heartbeat, Question } from '../protocol/protocol.js';
import type { Deployment } from './deployment.js';

/** What a running container tells when it is asked. Throws what the asker is told. */
export async function answer(
  question: Question,
  deployment: Deployment | undefined,
  metrics: () => Heartbeat,
): Promise<unknown> {
  switch (question.what) {
    case 'properties':
      return nodeOf(question.operatorId, deployment).properties;
    case 'startRecording': {
      const node = nodeOf(question.operatorId, deployment);
      return deployment?.recorder.start(node, question.recording);
    }
    case 'stopRecording':
      return deployment?.recorder.stop(question.recordingId);
    case 'hold':
      return deployed(deployment).hold();
    case 'checkpointAt':
      return deployed(deployment).checkpointAt(question.window);
    case 'metrics':
      return metrics();
  }
}

function deployed(deployment: Deployment | undefined): Deployment {
  if (!deployment) throw new Error('No operators are deployed here now');
  return deployment;
}

function nodeOf(operatorId: string, deployment: Deployment | undefined) {
  const node = deployment?.nodes.find(({ id }) => id === operatorId);
  if (!node) throw new Error(`The operator ${operatorId} is not deployed here now`);
  return node;
}
