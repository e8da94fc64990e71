import type { Api } from './agent.js';

/** Returns the judgment of a call; undefined if it failed for another reason. */
export function judgmentOf(api: Api, out: unknown, thrown: unknown): unknown {
  if (api === 'aiAssert') {
    return asserted(out as Raw | undefined, thrown);
  }
  if (thrown !== undefined || out === undefined || out === null) {
    return undefined;
  }
  return { value: out };
}

interface Raw {
  pass: boolean;
  thought?: string;
  message?: string;
}

/**
 * Midscene throws both when an assertion does not hold and when the model did not answer; an error of
 * the model has a cause. With `keepRawResponse` it returns either, and an error of the model has no
 * thought, but a message that ends with the reason.
 */
function asserted(out: Raw | undefined, thrown: unknown): unknown {
  if (thrown !== undefined) {
    const e = thrown as Error;
    if (typeof e?.message !== 'string' || !e.message.startsWith('Assertion failed') || e.cause !== undefined) {
      return undefined;
    }
    return verdict(false, e.message.split('\nReason: ').slice(1).join('\nReason: '));
  }
  if (out === undefined) {
    return verdict(true, undefined);
  }
  if (!out.pass && out.thought === undefined && !out.message?.endsWith('(no_reason)')) {
    return undefined;
  }
  return verdict(out.pass, out.thought);
}

function verdict(pass: boolean, why: string | undefined): unknown {
  const reasoning = why && why !== '(no_reason)' ? { reasoning: why } : {};
  return { verdict: pass ? 'pass' : 'fail', ...reasoning };
}
