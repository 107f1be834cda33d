/** Where the browser keeps the large parts: the core, the encoder, the model. */
export const ASSET_CACHE = 'limbic-parts';
