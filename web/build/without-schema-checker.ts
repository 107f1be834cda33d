import type { Plugin } from 'vite';

/** Removes the MCP SDK's schema validator, which generates code at run time; the page's policy forbids that. */
export function withoutSchemaChecker(): Plugin {
  return {
    name: 'without-schema-checker',
    load: (id) => (/validation[\\/]ajv-provider\.js$/.test(id) ? 'export class AjvJsonSchemaValidator {}' : undefined),
  };
}
