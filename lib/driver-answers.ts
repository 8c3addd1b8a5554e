// An entry point, names only: shapes of what drivers answer, for the contracts and for hosts in development.

export {
  type CheckedDrivers,
  checkedDrivers,
  type RefuseAnswer,
  type WrongAnswer,
} from './driver-answers/checked.js';
