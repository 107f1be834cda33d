/** Sizes in bytes of what the encoder loads, put in when the page is built. */
declare const LIMBIC_ENCODER_BYTES: number;
declare const LIMBIC_MODEL_BYTES: number;
declare const LIMBIC_TOKENIZER_BYTES: number;

/** Reads at once; only workers have it. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
