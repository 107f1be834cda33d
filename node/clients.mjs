// The description of this server for clients: the one source of the plugin's files, server.json, the bundle's manifest and the
// links in the README.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const { name, version, description, license, keywords, mcpName } = JSON.parse(
  readFileSync(here('package.json'), 'utf8'),
);

/** The name under which clients show the server. */
const SERVER = 'memory';
const SHORT = 'Long-term memory for AI agents: typed memories, a knowledge graph and hybrid search, all local.';
const AUTHOR = { name: 'The Limbic authors' };

/** The settings that desktop clients show: variable, title, description. */
const SETTINGS = [
  ['LIMBIC_DB', 'database', 'Database file', 'Where the memory is stored; empty for the default place'],
  [
    'LIMBIC_TOOLSETS',
    'toolsets',
    'Toolsets',
    'Toolsets to offer, such as memory,domain, or all; empty for the default',
  ],
];

/** How a client starts the server. */
const START = { command: 'npx', args: ['-y', name] };
/** The same on Windows, where clients cannot start a script by its name. */
const START_ON_WINDOWS = { command: 'cmd', args: ['/c', START.command, ...START.args] };
/** The version that belongs to these files. */
const START_VERSION = { command: 'npx', args: ['-y', `${name}@${version}`] };

/** server.json for the MCP registry. `namespace` is the part of its name that the publisher owns. */
export function registryEntry() {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Limbic',
    description: SHORT,
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        environmentVariables: SETTINGS.map(([variable, , , text]) => ({ name: variable, description: text })),
      },
    ],
  };
}

/** The manifest of the bundle for desktop clients. */
export function bundleManifest() {
  const settings = SETTINGS.map(([, key, title, text]) => [
    key,
    { type: 'string', title, description: text, required: false, default: '' },
  ]);
  return {
    manifest_version: '0.3',
    name,
    display_name: 'Limbic',
    version,
    description: SHORT,
    long_description: description,
    author: AUTHOR,
    icon: 'icon.png',
    server: {
      type: 'node',
      entry_point: 'server/main.js',
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/server/main.js`],
        env: Object.fromEntries(SETTINGS.map(([variable, key]) => [variable, `\${user_config.${key}}`])),
      },
    },
    tools_generated: true,
    prompts_generated: true,
    keywords,
    license,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: '>=20' } },
    user_config: Object.fromEntries(settings),
  };
}

/** The plugin's files, by their paths below node/plugin. The skills are written by hand. */
export async function pluginFiles() {
  const about = { name: 'limbic', version, description: SHORT, author: AUTHOR, license, keywords };
  const hooks = {};
  for (const { event, hook, matcher } of await hookEvents()) {
    const command = [START_VERSION.command, ...START_VERSION.args, 'hook', hook].join(' ');
    hooks[event] = [{ ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command }] }];
  }
  return {
    '.claude-plugin/plugin.json': about,
    '.claude-plugin/marketplace.json': {
      name: 'limbic',
      owner: AUTHOR,
      plugins: [{ name: about.name, source: './', description: SHORT, version }],
    },
    '.mcp.json': { mcpServers: { [SERVER]: START_VERSION } },
    'hooks/hooks.json': { hooks },
    'plugin.json': { $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json', ...about },
    'mcp.json': {
      $schema: 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json',
      mcpServers: { [SERVER]: { type: 'stdio', ...START_VERSION } },
    },
  };
}

/** The README's links and lines for installation. */
export function installLines() {
  const config = JSON.stringify(START);
  const cursor = `https://cursor.com/en/install-mcp?name=${SERVER}&config=${encodeURIComponent(Buffer.from(config).toString('base64'))}`;
  const code = `https://insiders.vscode.dev/redirect/mcp/install?name=${SERVER}&config=${encodeURIComponent(JSON.stringify({ type: 'stdio', ...START }))}`;
  return [
    `[Install in Cursor](${cursor}) · [Install in VS Code](${code})`,
    '',
    `On Windows, clients that cannot start \`npx\` by its name: \`${JSON.stringify(START_ON_WINDOWS)}\`.`,
  ];
}

/** The hooks that are installed, from the server's source. */
async function hookEvents() {
  const { outputFiles } = await esbuild.build({
    entryPoints: [here('src/hook-events.ts')],
    write: false,
    format: 'esm',
  });
  const module = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return module.EVENTS;
}
