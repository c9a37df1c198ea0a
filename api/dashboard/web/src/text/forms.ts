// Translates sentences of the service that have names and figures in them.

// A Form is the pattern of a sentence, and a function that makes the sentence in another language from the parts that the
// pattern finds.
export type Form = [RegExp, (...parts: string[]) => string]

// translate translates a sentence by the first form that fits it. If no form fits, it returns the sentence unchanged.
export function translate(forms: Form[], said: string): string {
  for (const [pattern, sentence] of forms) {
    const found = pattern.exec(said)
    if (found) return sentence(...found.slice(1).map(part => part ?? ''))
  }
  return said
}
