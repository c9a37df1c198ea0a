// Helpers of the texts of all languages. The file imports nothing but a number, because the texts are loaded before all other
// modules.
import { mostSubs } from '../subs.gen.ts'

// counted returns a function that puts a number before the singular or the plural of a word, as the language demands.
export const counted = (language: string) => {
  const plural = new Intl.PluralRules(language)
  return (n: number, one: string, other: string, shown = String(n)) => `${shown} ${plural.select(n) === 'one' ? one : other}`
}

// named returns texts whose keys are values that the API sends, such as a status. Every language must have a text for each of them.
// A lookup by any other value is allowed and returns undefined, because a newer service may send more values.
export const named = <K extends string, V>(texts: Record<K, V>) => texts as Record<K, V> & Record<string, V>

// subTexts has the names of the sub-parameters, which are the same in all languages. Its type has only the key
// sub1, which is enough for the compiler to require these texts in every language.
export const subTexts = Object.fromEntries(Array.from({ length: mostSubs }, (_, i) => [`sub${i + 1}`, `Sub ${i + 1}`])) as { sub1: string }
