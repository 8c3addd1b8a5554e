export const words = {
  showData: 'Show data',
  time: 'Time',
};
