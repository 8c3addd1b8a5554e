// Loaded into each test by test.js. tap follows every promise and callback of a test, to know which test a stray error is
// of: that doubles the time of tests with many of them. Without, such an error still fails the file.
const hooks = require('node:async_hooks');
const nothing = { enable: () => nothing, disable: () => nothing };
hooks.createHook = () => nothing;
require('node:module').syncBuiltinESMExports();
