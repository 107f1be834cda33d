/** The options of `limbic-memory model check`. */
import {
  HELP,
  MODEL_DIMENSIONS,
  type Option,
  optionList,
  readArguments,
  readDimensions,
  sourceOf,
  variable,
} from './options.ts';
import { expandPath } from './paths.ts';
import { UsageError } from './usage.ts';

/** The folder of a model, and the number of dimensions of its vectors. */
export interface ModelOptions {
  readonly folder: string;
  readonly dimensions: number | undefined;
}

const MODEL_OPTIONS: readonly Option[] = [MODEL_DIMENSIONS, HELP];

/**
 * Parses the arguments of `model`. Returns `undefined` for `--help`.
 *
 * @throws UsageError
 */
export function readModelOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ModelOptions | undefined {
  const [action, folder, ...rest] = args;
  if (args.includes('--help')) return undefined;
  if (action !== 'check' || folder === undefined || folder.startsWith('--')) {
    throw new UsageError('model needs an action and a folder: limbic-memory model check DIR');
  }
  const given = readArguments(rest, MODEL_OPTIONS);
  const dimensions = given.get('model-dimensions') ?? variable('model-dimensions', env);
  return {
    folder: expandPath(folder, 'the folder'),
    dimensions: readDimensions(sourceOf('model-dimensions', given), dimensions),
  };
}

/** Returns the output of `model --help`. */
export function modelHelpText(): string {
  return `Usage: limbic-memory model check DIR [--model-dimensions N]

Loads the sentence model in a folder, and prints its properties, settings and speed. The folder has
model.onnx (or onnx/model.onnx) and tokenizer.json, and the files that sentence-transformers stores:
config.json, modules.json, 1_Pooling/config.json, config_sentence_transformers.json. A limbic.json
overrides them, for example {"pooling": "mean", "query_prefix": "query: ", "passage_prefix":
"passage: ", "dimensions": 256, "max_tokens": 512}.

Options:
${optionList(MODEL_OPTIONS)}
`;
}
