// `@headgate/operators/engine`: what an engine needs to run operators.
export { builtInModules } from './built-in-modules.js';
export { isOperatorClass, operatorClassesIn } from './operator-modules.js';
export { messageOf } from './record.js';
export { refusedAddress } from './refused-address.js';
