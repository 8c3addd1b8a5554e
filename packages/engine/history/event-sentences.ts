type Data = Readonly<Record<string, string>>;

const operator = ({ operatorName = '', operatorId }: Data) =>
  operatorId === undefined ? `Operator ${operatorName}` : `Operator ${operatorName} (${operatorId})`;

const sentences: Readonly<Record<string, (data: Data) => string>> = {
  StartContainer: (data) => `Container ${data['containerId']} started on ${data['containerNodeId']}`,
  StopContainer: (data) =>
    `Container ${data['containerId']} ended, exit status ${data['exitStatus'] || 'unknown'}: ${data['reason']}`,
  ContainerError: (data) => `Container ${data['containerId']} failed: ${data['errorMessage']}`,
  CreateOperator: (data) => `${operator(data)} is in the plan`,
  RemoveOperator: (data) => `${operator(data)} left the plan`,
  StartOperator: (data) => `${operator(data)} runs in ${data['containerId']}`,
  StopOperator: (data) => `${operator(data)} stopped in ${data['containerId']}: ${data['reason']}`,
  OperatorError: (data) => `${operator(data)} failed in ${data['containerId']}: ${data['errorMessage']}`,
  ShutdownApplication: () => 'Shutdown was asked for: inputs end, the rest drains',
  // Values stay out: whoever reads logs need not know them.
  ChangeLogicalPlan: (data) => `The plan was changed: ${withoutValues(data['request'] ?? '{}')}`,
  SetOperatorProperty: (data) => `${operator(data)}: property ${data['propertyName']} was set`,
  SetPhysicalOperatorProperty: (data) => `${operator(data)}: property ${data['propertyName']} was set`,
};

/** What the log of the application master says of an event. */
export const sentenceOf = (type: string, data: Data): string => sentences[type]?.(data) ?? type;

const withoutValues = (json: string): string =>
  JSON.stringify(JSON.parse(json), (key, value: unknown) => (/value$/i.test(key) ? undefined : value));
