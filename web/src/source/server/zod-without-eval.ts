/**
 * Must be imported before the MCP SDK: its schemas would otherwise try `new Function`, which the page's policy forbids.
 */
import { config } from 'zod/v4/core';

config({ jitless: true });
