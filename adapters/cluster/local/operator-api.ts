// `headgate/cluster/local/operators`: what a module of operators needs of `headgate/cluster/local`, and nothing else, so
// that containers need not load the whole gateway for it. Modules of packages get this under either name.
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
