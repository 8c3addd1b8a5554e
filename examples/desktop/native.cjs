// In the single executable this is the package `node-gyp-build`, which looks for the native part of the database in folders.
const { fileURLToPath } = require('node:url');
const { fileOf } = require('./files.js');

module.exports = () => {
  const loaded = { exports: {} };
  process.dlopen(loaded, fileURLToPath(fileOf('classic-level.node')));
  return loaded.exports;
};
