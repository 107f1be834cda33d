/** A host of MCP Apps with the SDK of the extension: the script of a page that shows an App in a sandbox. */
import { AppBridge, isToolVisibilityModelOnly, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

type Result = Awaited<ReturnType<NonNullable<AppBridge['oncalltool']>>>;
type Listed = Parameters<typeof isToolVisibilityModelOnly>[0];

/** The fields of a listed tool that this host uses. */
type NamedTool = { readonly name: string; readonly _meta?: object | undefined };

/** The tool call that the App shows. */
export interface ShownApp {
  readonly html: string;
  readonly theme: 'light' | 'dark';
  readonly tools: readonly NamedTool[];
  readonly input: Record<string, unknown>;
  readonly result: object;
}

declare global {
  interface Window {
    /** Forwards a call of the App to the server. */
    callServer(params: { name: string; arguments?: Record<string, unknown> }): Promise<Result>;
    showApp(app: ShownApp): Promise<void>;
    setTheme(theme: 'light' | 'dark'): void;
    /** Tells the App that it will be removed, and waits for its answer. */
    endApp(): Promise<unknown>;
  }
}

let bridge: AppBridge;

window.showApp = async ({ html, theme, tools, input, result }) => {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.title = 'App';
  frame.style.cssText = 'width: 100%; height: 100px; border: 0; display: block';
  document.body.append(frame);
  const view = frame.contentWindow;
  if (view === null) throw new Error('the frame has no window');
  const hostContext = { theme, availableDisplayModes: ['inline', 'fullscreen'] as ('inline' | 'fullscreen')[] };
  bridge = new AppBridge(null, { name: 'host', version: '1' }, { serverTools: {} }, { hostContext });
  bridge.oncalltool = async (params) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined || isToolVisibilityModelOnly(tool as Listed))
      throw new Error(`${params.name} is not for the App`);
    return window.callServer(params);
  };
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
  };
  bridge.onrequestdisplaymode = async ({ mode }) => {
    if (mode === 'fullscreen') frame.style.height = '100vh';
    return { mode };
  };
  const isReady = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  await bridge.connect(new PostMessageTransport(view, view));
  frame.srcdoc = html;
  await isReady;
  await bridge.sendToolInput({ arguments: input });
  await bridge.sendToolResult(result as Result);
};

window.setTheme = (theme) => void bridge.sendHostContextChange({ theme });

window.endApp = () => bridge.teardownResource({});
