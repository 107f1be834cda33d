/**
 * Asks an OpenAI-compatible endpoint each prompt of a file.
 *
 * `node answers.mjs FILE`: the prompts of `limbic bench answers`, one JSON object per line. Prints each with the
 * model's answer as `prediction`. LIMBIC_LLM_URL is the endpoint, such as http://127.0.0.1:8080/v1; LIMBIC_LLM_MODEL
 * its model, LIMBIC_LLM_KEY the API key, if it needs one; LIMBIC_LLM_QUESTIONS asks only about that many of the
 * prompts, evenly spread.
 */
import { readFileSync } from 'node:fs';

/** Longer answers are not short phrases. */
const MAX_TOKENS = 64;
/** Attempts per prompt, and the pause after the first one that failed, which doubles. */
const ATTEMPTS = 4;
const PAUSE_MILLIS = 1000;

const {
  LIMBIC_LLM_URL: base,
  LIMBIC_LLM_MODEL: model = 'default',
  LIMBIC_LLM_KEY: key,
  LIMBIC_LLM_QUESTIONS: most,
} = process.env;
if (!base) throw new Error('LIMBIC_LLM_URL is missing: the endpoint, such as http://127.0.0.1:8080/v1');
const endpoint = `${base.replace(/\/+$/, '')}/chat/completions`;

async function attempt(prompt) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: prompt }],
      temperature: 0,
      max_tokens: MAX_TOKENS,
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${endpoint} answered ${response.status}: ${text.slice(0, 500)}`);
  const content = JSON.parse(text).choices?.[0]?.message?.content;
  if (typeof content !== 'string') throw new Error(`${endpoint} answered without text: ${text.slice(0, 500)}`);
  return content.trim();
}

async function ask(prompt) {
  for (let number = 1; ; number++) {
    try {
      return await attempt(prompt);
    } catch (error) {
      if (number === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS * 2 ** (number - 1)));
    }
  }
}

const prompts = readFileSync(process.argv[2], 'utf8').split('\n').filter(Boolean);
const step = most ? Math.max(1, Math.ceil(prompts.length / Number(most))) : 1;
const chosen = prompts.filter((_, index) => index % step === 0);
for (const [number, line] of chosen.entries()) {
  const { prompt, ...rest } = JSON.parse(line);
  console.log(JSON.stringify({ ...rest, prediction: await ask(prompt) }));
  if (number % 100 === 99) console.error(`${number + 1} of ${chosen.length} questions`);
}
