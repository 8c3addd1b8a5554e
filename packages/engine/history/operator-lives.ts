interface Operator {
  readonly id: string;
  readonly name: string;
}

/** Where each operator runs: tells when one begins to, and when it stops. */
export interface OperatorLives {
  /** It may have run there before: then it was rolled back. */
  started(operator: Operator, containerId: string): void;
  /** It does not run where it did. */
  ended(operatorId: string, reason: string): void;
  /** All that run in that container. */
  stopped(containerId: string, reason: string): void;
}

export function createOperatorLives(deps: {
  readonly event: (type: string, data: Readonly<Record<string, string>>) => void;
  readonly deployed: (operator: Operator, containerId: string) => void;
}): OperatorLives {
  const running = new Map<string, { readonly name: string; readonly containerId: string }>();

  function stop(operatorId: string, reason: string): void {
    const life = running.get(operatorId);
    if (!life) return;
    running.delete(operatorId);
    const { name, containerId } = life;
    deps.event('StopOperator', { operatorName: name, operatorId, containerId, reason });
  }

  return {
    started({ id, name }, containerId) {
      stop(id, 'Rolled back to the checkpoint that it has in common with an operator that failed');
      running.set(id, { name, containerId });
      deps.event('StartOperator', { operatorName: name, operatorId: id, containerId });
      deps.deployed({ id, name }, containerId);
    },
    ended: stop,
    stopped(containerId, reason) {
      for (const [id, life] of [...running]) if (life.containerId === containerId) stop(id, reason);
    },
  };
}
