import type { Plugin } from 'vite';

/** The MCP SDK's checker of schemas makes code from text, which the page's policy forbids; the page gives its own. */
export function withoutSchemaChecker(): Plugin {
  return {
    name: 'without-schema-checker',
    load: (id) => (/validation[\\/]ajv-provider\.js$/.test(id) ? 'export class AjvJsonSchemaValidator {}' : undefined),
  };
}
