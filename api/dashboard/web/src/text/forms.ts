// Translates sentences of the service that have names and figures in them.

// A Form is the pattern of a sentence, and the sentence in another language from the parts that the pattern finds.
export type Form = [RegExp, (...parts: string[]) => string]

// translate returns the sentence by the first form that fits, or else the sentence itself.
export function translate(forms: Form[], said: string): string {
  for (const [pattern, sentence] of forms) {
    const found = pattern.exec(said)
    if (found) return sentence(...found.slice(1).map(part => part ?? ''))
  }
  return said
}
