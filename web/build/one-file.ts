import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/** Inlines script and style of a build into one page, with a policy that forbids everything else. */
export function oneFile(name: string, template: string, icon: string): Plugin {
  return {
    name: 'one-file',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const files = Object.values(bundle);
        const scripts = files.flatMap((file) => (file.type === 'chunk' ? [file.code] : []));
        const styles = files.flatMap((file) =>
          file.type === 'asset' && file.fileName.endsWith('.css') ? [String(file.source)] : [],
        );
        const [script = '', style = ''] = [scripts[0], styles[0]];
        if (scripts.length !== 1 || styles.length !== 1 || files.length !== 2) {
          throw new Error(
            `one script and one style were to be made, but there are: ${files.map(({ fileName }) => fileName).join(', ')}`,
          );
        }
        for (const fileName of Object.keys(bundle)) delete bundle[fileName];
        const source = filled(readFileSync(template, 'utf8'), inert(script), style.trim(), readFileSync(icon));
        this.emitFile({ type: 'asset', fileName: name, source });
      },
    },
  };
}

function filled(template: string, script: string, style: string, icon: Buffer): string {
  if (style.includes('</')) throw new Error('the style would end its element');
  const policy = [
    "default-src 'none'",
    // The WebAssembly module is compiled from bytes in the page.
    `script-src ${hashOf(script)} 'wasm-unsafe-eval'`,
    `style-src ${hashOf(style)}`,
    // The icon, and exported pictures of the graph.
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const parts: Readonly<Record<string, string>> = {
    policy: `<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    icon: `<link rel="icon" href="data:image/svg+xml;base64,${icon.toString('base64')}" type="image/svg+xml" />`,
    style: `<style>${style}</style>`,
    script: `<script>${script}</script>`,
  };
  return template.replace(/<!--(\w+)-->/g, (all, part: string) => parts[part] ?? all);
}

/** Escapes character sequences that would end the script element; they occur only in strings, where `\x3C` is `<`. */
function inert(script: string): string {
  return script.trim().replace(/<(?=\/script|!--)/gi, '\\x3C');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
