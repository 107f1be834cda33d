/** The name of the cache for large assets: the core, the encoder and the model. */
export const ASSET_CACHE = 'limbic-parts';
