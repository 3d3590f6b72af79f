// `node:http` for the bundles, which have this file in its place. An import of an ES module reads all exports of `node:http`, and
// three of them load Node's fetch: 40 ms of processor time at each cold start. `require` reads none of them.
// biome-ignore lint/style/useNodejsImportProtocol: the bundles would have this file in place of `node:http` here too
module.exports = require('http');
