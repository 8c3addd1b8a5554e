// What an operator's module needs of `headgate/cluster/local`, and nothing else: modules of packages get this.
export {
  type DataSourceProperties,
  InputOperator,
  Operator,
  type OperatorAccess,
  type OperatorClass,
  type OperatorContext,
  type OperatorLog,
  type Port,
  type Reach,
  type Tuple,
} from './operator.js';
export { topicOf } from './topic-names.js';
