// What a module of operators needs, and nothing else: containers load it without the gateway.
export {
  type DataSourceProperties,
  InputOperator,
  Operator,
  type OperatorAccess,
  type OperatorClass,
  type OperatorContext,
  type OperatorLog,
  type OperatorType,
  type Port,
  type Reach,
  type Tuple,
} from './operator.js';
export { topicOf } from './topic-names.js';
