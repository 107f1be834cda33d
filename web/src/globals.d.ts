/** Sizes in bytes of the encoder's assets, defined at build time. */
declare const LIMBIC_ENCODER_BYTES: number;
declare const LIMBIC_MODEL_BYTES: number;
declare const LIMBIC_TOKENIZER_BYTES: number;

/** Reads synchronously; only workers have it. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
