export const words = {
  checking: 'Checking whether you may do this…',
  notThere: 'This gateway has no such operation',
  notAllowed: 'You may not do this',
};
