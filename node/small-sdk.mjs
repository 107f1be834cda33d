/**
 * A bundler's plugin that removes unused parts of the protocol's SDK. The complete SDK would double the time
 * until the server answers, most of it for schemas that are built at start and never used.
 */
import { readFileSync } from 'node:fs';

/** The module with the class for servers of another kind. */
const OTHER_SERVERS = [/server[\\/]dist[\\/]mcp-[^\\/]*\.mjs$/, 'src/server/mcp.ts', ['McpServer', 'ResourceTemplate']];
/** The module with the schemas by name, for servers that check values of their own. */
const NAMED_SCHEMAS = [
  /server[\\/]dist[\\/]src-[^\\/]*\.mjs$/,
  '../core-internal/src/types/specTypeSchema.ts',
  ['specTypeSchemas', 'isSpecType'],
];
/** Modules that consist of schemas; those that nothing uses can be left out if their construction is marked as pure. */
const SCHEMAS = /core[\\/]dist[\\/](schemas|auth)-[^\\/]*\.mjs$/;
/**
 * The module that names the checker of JSON schemas: half of the SDK, for servers that check what a client's user
 * enters.
 */
const CHECKER = /server[\\/]dist[\\/]shimsNode\.mjs$/;

/** Adapts web requests to Node; the adapter of the SDK's own is used. */
const ADAPTER = /@hono[\\/]node-server[\\/]dist[\\/]index\.mjs$/;

export const smallSdk = {
  name: 'small-sdk',
  setup(build) {
    for (const [filter, region, names] of [OTHER_SERVERS, NAMED_SCHEMAS]) {
      build.onLoad({ filter }, ({ path }) => ({ contents: withoutRegion(path, region, names) }));
    }
    build.onLoad({ filter: SCHEMAS }, ({ path }) => ({ contents: withPureSchemas(path) }));
    build.onLoad({ filter: ADAPTER }, () => ({ contents: 'export function getRequestListener() {}' }));
    build.onLoad({ filter: CHECKER }, () => ({
      contents: "import process from 'node:process';\nexport class DefaultJsonSchemaValidator {}\nexport { process };",
    }));
  },
};

/** The code of a module whose region only declares these names, without a use. */
function withoutRegion(path, region, names) {
  const code = readFileSync(path, 'utf8');
  const start = code.indexOf(`//#region ${region}\n`);
  const end = code.indexOf('//#endregion', start);
  if (start === -1 || end === -1) throw changed(path, region);
  return `${code.slice(0, start)}${names.map((name) => `class ${name} {}\n`).join('')}${code.slice(end)}`;
}

/** The code of a module with each schema constructed by a function that is marked as pure. */
function withPureSchemas(path) {
  const code = readFileSync(path, 'utf8');
  const schema =
    /^const (\w+Schema) = ((?:z|\w+Schema)\.[\s\S]*?);\n(?=const |let |function |\/\*\*|\/\/|export |\n)/gm;
  if (!schema.test(code)) throw changed(path, 'schemas');
  return code.replace(schema, 'const $1 = /* @__PURE__ */ (() => $2)();\n');
}

function changed(path, what) {
  return new Error(`${path} has no ${what} as expected: compare node/small-sdk.mjs with this version of the SDK`);
}
